import FirnLog
import FirnProjection
import Testing

/// The records of single objects that the versions of rows name: they are those that reading all change sets finds.
@Suite("The records of an object")
struct ObjectRecordTests {
    /// One object's life, by a walk.
    fileprivate struct Life {
        var records: [SequenceNumber] = []
        var values: [String: PropertyValue] = [:]
        var setters: [String: SequenceNumber] = [:]
        var isThere = false
    }

    private static func walk(_ sample: Sample, through end: Int) -> [ObjectKey: Life] {
        var lives: [ObjectKey: Life] = [:]
        for record in sample.records.prefix(end) {
            guard case .changes(let changes) = record.body else { continue }
            for group in changes.groups {
                for (row, key) in group.primaryKeys.enumerated() {
                    let key = ObjectKey(entity: group.entity, primaryKey: key)
                    lives[key, default: Life()].apply(group, row, record.sequence, sample.schema)
                }
            }
        }
        return lives
    }

    private func history(_ seed: UInt64) throws -> (Sample, TemporalProjection) {
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<400 { try sample.append(.changes(history.next())) }
        let temporal = try TemporalProjection(.memory, schema: sample.schema, storeID: "S", modelSequence: 1)
        try temporal.catchUp { after, apply in
            for record in sample.records where record.sequence > after { try apply(record) }
        }
        return (sample, temporal)
    }

    @Test(
        "are all that name it, in a range, from either end, and no more than are wanted",
        arguments: [41, 42] as [UInt64])
    func records(seed: UInt64) throws {
        let (sample, temporal) = try history(seed)
        var generator = SeededGenerator(seed: seed)
        for (key, life) in Self.walk(sample, through: sample.records.count) {
            let all = try temporal.records(of: key, after: 0, through: 401, limit: .max, newestFirst: false)
            #expect(all == life.records, "seed \(seed), \(key)")
            let bounds = [UInt64.random(in: 0...401, using: &generator), .random(in: 0...401, using: &generator)]
            let (start, end) = (SequenceNumber(bounds.min() ?? 0), SequenceNumber(bounds.max() ?? 0))
            let wanted = life.records.filter { $0 > start && $0 <= end }
            for limit in [1, 3, Int.max] {
                let first = try temporal.records(of: key, after: start, through: end, limit: limit, newestFirst: false)
                #expect(first == Array(wanted.prefix(limit)), "seed \(seed), \(key), \(start) to \(end)")
                let last = try temporal.records(of: key, after: start, through: end, limit: limit, newestFirst: true)
                #expect(last == Array(wanted.reversed().prefix(limit)), "seed \(seed), \(key), \(start) to \(end)")
            }
        }
    }

    @Test("that gave it its values are the last that changed each, at every point", arguments: [43, 44] as [UInt64])
    func setters(seed: UInt64) throws {
        let (sample, temporal) = try history(seed)
        for count in stride(from: 5, through: sample.records.count, by: 13) {
            for (key, life) in Self.walk(sample, through: count) {
                let names = Set(["name", "age", "money", "score", "born", "id", "best", "owner", "weight", "label"])
                let found = try temporal.setters(of: key, names, at: SequenceNumber(UInt64(count)))
                guard life.isThere else {
                    #expect(found.isEmpty, "seed \(seed), \(key) at \(count)")
                    continue
                }
                for (name, setter) in life.setters where names.contains(name) {
                    #expect(found[name] == setter, "seed \(seed), \(key).\(name) at \(count)")
                }
            }
        }
    }
}

extension ObjectRecordTests.Life {
    fileprivate mutating func apply(
        _ group: ChangeGroup, _ row: Int, _ sequence: SequenceNumber, _ schema: StoreSchema
    ) {
        if records.last != sequence { records.append(sequence) }
        if group.operation == .insert {
            (isThere, values) = (true, [:])
            for name in setters.keys { setters[name] = sequence }
        }
        if group.operation == .delete { return isThere = false }
        let properties = schema.logModel.entity(group.entity)?.properties ?? []
        for (index, slot) in group.slots.enumerated() where index < group.new.count {
            let name = properties[Int(slot)].name
            let value = Self.stored(group.new[index][row])
            if group.operation == .update, value == values[name] ?? .null { continue }
            (values[name], setters[name]) = (value, sequence)
        }
    }

    /// SQLite keeps no NaN and tells no two zeros apart.
    private static func stored(_ value: PropertyValue) -> PropertyValue {
        guard case .real(let number) = value else { return value }
        return number.isNaN ? .null : .real(number == 0 ? 0 : number)
    }
}
