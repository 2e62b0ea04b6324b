import FirnLog
import TestSupport
import Testing

/// Makes change sets of every shape.
struct ChangeSetMaker {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func upTo(_ count: Int) -> Int { Int(random.next() % UInt64(count + 1)) }

    mutating func changeSet() -> ChangeSet {
        var changes = ChangeSet(model: SequenceNumber(random.next() % 300))
        for _ in 0..<upTo(4) { changes.groups.append(group()) }
        for _ in 0..<upTo(2) {
            changes.links.append(
                LinkGroup(
                    entity: EntityNumber(UInt32(upTo(400))), slot: UInt16(upTo(65535)), removed: links(),
                    added: links()))
        }
        return changes
    }

    private mutating func links() -> [Link] {
        (0..<upTo(5)).map { _ in
            Link(source: key(), destination: key(), sourceOrder: integer(), destinationOrder: integer())
        }
    }

    private mutating func key() -> ObjectKey {
        ObjectKey(
            entity: EntityNumber(UInt32(truncatingIfNeeded: random.next() >> UInt64(upTo(60)))),
            primaryKey: integer())
    }

    private mutating func group() -> ChangeGroup {
        let operation = ChangeGroup.Operation.allCases[upTo(3)]
        let rows = [0, 1, 1, 2, 17, 200][upTo(5)]
        var group = ChangeGroup(entity: EntityNumber(UInt32(upTo(9))), operation: operation)
        group.primaryKeys = column(.integer, rows).integers
        if operation == .refresh { return group }
        var slot = 0
        for _ in 0..<upTo(6) {
            slot += 1 + upTo(3)
            group.slots.append(UInt16(slot))
            let type = StorageType.allCases[upTo(5)]
            let new = column(type, rows)
            if operation != .delete { group.new.append(new) }
            if operation == .delete { group.old.append(new) }
            if operation == .update { group.old.append(upTo(2) == 0 ? column(type, rows) : edited(new)) }
        }
        return group
    }

    /// A column in one of the moods that the encodings are made for.
    private mutating func column(_ type: StorageType, _ rows: Int) -> Column {
        var column = Column(type)
        let mood = upTo(4)
        var last = value(type, mood)
        for row in 0..<rows {
            if type == .none {
                column.appendTouched()
            } else if upTo(9) == 0, mood != 1 {
                column.appendNull()
            } else {
                if mood == 2, case .integer(let previous) = last { last = .integer(previous &+ 3) }
                if mood == 3, row % 3 == 0 || mood == 4 { last = value(type, mood) }
                if mood == 0 || mood == 4 { last = value(type, mood) }
                column.append(last)
            }
        }
        return column
    }

    private mutating func edited(_ column: Column) -> Column {
        var old = Column(column.type)
        for row in 0..<column.count {
            switch column[row] {
            case .integer(let value): old.append(value &- Int64(upTo(2)))
            case .text(let text): old.append(String(text.dropFirst(upTo(2))) + (upTo(1) == 0 ? "é" : ""))
            case .blob(let blob): old.append(.blob(Array(blob.dropLast(upTo(1)))))
            case .real(let value): old.append(.real(value - Double(upTo(3)) / 4))
            case .null: if column.type == .none { old.appendTouched() } else { old.appendNull() }
            case let value: old.append(value)
            }
        }
        return old
    }

    private mutating func integer() -> Int64 { Int64(truncatingIfNeeded: random.next()) >> Int64(upTo(63)) }

    private mutating func value(_ type: StorageType, _ mood: Int) -> PropertyValue {
        switch type {
        case .none: .null
        case .integer: .integer(integer())
        case .real:
            .real([
                Double(integer()), Double(upTo(9)) / 8, Double(bitPattern: random.next() & ~(1 << 62)), -0.0,
                .infinity, Double(upTo(100_000)) / 100,
            ][mood == 4 ? 5 : upTo(5)])
        case .text: .text(String(repeating: ["a", "ö", "\u{0}", "词"][upTo(3)], count: upTo(mood * 20 + 3)))
        case .blob: .blob((0..<upTo(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case .reference: .reference(key())
        }
    }
}

extension Column {
    fileprivate var integers: [Int64] {
        if case .integers(let values) = values { values } else { [] }
    }
}

@Suite("A record")
struct RoundTripTests {
    @Test("of any shape comes back as it was", arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var maker = ChangeSetMaker(seed: seed)
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        let changes = (0..<60).map { _ in maker.changeSet() }
        try log.exclusively {
            for set in changes { try log.append(.changes(set), header: Samples.header()) }
        }
        for (index, record) in try log.all().enumerated() {
            #expect(record.body == .changes(changes[index]), "seed \(seed), change set \(index)")
        }
    }

    @Test("keeps everything that its header says")
    func header() throws {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        let header = TransactionHeader(
            date: 5, id: TransactionID(high: .max, low: 1), author: "é", contextName: "", processName: "p",
            processID: -1, bundleID: "b", metadata: ["z": "1", "a": "\u{0}"])
        try log.exclusively { _ = try log.append(.reservation([:]), header: header) }
        #expect(try log.record(at: 1).header == header)
    }

    @Test("describes a model completely")
    func model() throws {
        let kinds: [LogProperty.Kind] =
            AttributeKind.allCases.map { .attribute($0) } + [
                .toOne(destination: EntityNumber(.max)), .position(toOne: .max), .transient,
                .toMany(destination: EntityNumber(1), inverse: nil, isOrdered: true, isCanonical: false),
                .toMany(destination: EntityNumber(1), inverse: 0, isOrdered: false, isCanonical: true),
            ]
        let properties = kinds.enumerated().map { LogProperty(name: "p\($0)", kind: $1) }
        let model = LogModel(
            entities: [
                LogEntity(number: EntityNumber(1), name: "A", parent: nil, properties: properties),
                LogEntity(number: EntityNumber(2), name: "B", parent: EntityNumber(1), properties: []),
            ], document: [0, 255])
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        try log.save(.model(model))
        #expect(try log.model(at: 1) == model)
    }

    @Test("is never dated before the one before it")
    func dates() throws {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: LogOptions(segmentSize: 4096),
            fileSystem: MemoryFileSystem(), date: 0)
        for date in [100, 50, 200, 150, 300] as [Int64] {
            let header = TransactionHeader(date: date, id: TransactionID(high: 0, low: 0))
            try log.exclusively { _ = try log.append(.reservation([:]), header: header) }
        }
        #expect(try log.all().map(\.header.date) == [100, 100, 200, 200, 300])
        let found = try [99, 100, 199, 200, 299, 300, 301].map { try log.sequence(atOrBefore: $0).rawValue }
        #expect(found == [0, 2, 2, 4, 4, 5, 5])
    }

    @Test("of a hundred megabytes is appended and read")
    func large() throws {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, fileSystem: MemoryFileSystem(), date: 0)
        var blobs = Column(.blob)
        var generator = SeededGenerator(seed: 9)
        let words = [UInt64](repeating: 0, count: 12_500_000 / 64).map { _ in generator.next() }
        // 64 blobs of 1.5 MB, so that the test itself is quick.
        words.withUnsafeBytes { bytes in for _ in 0..<64 { blobs.append(bytes: bytes) } }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: Array(1...64), slots: [0], new: [blobs])
        let body = LogRecord.Body.changes(ChangeSet(model: 1, groups: [group]))
        try log.save(Samples.oneNote(1), body, Samples.oneNote(2))
        let records = try log.all()
        #expect(records.count == 3)
        #expect(records[1].body == body)
    }
}
