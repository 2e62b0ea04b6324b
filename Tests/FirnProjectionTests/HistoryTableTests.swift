import FirnLog
import FirnModel
import FirnProjection
import FirnSQLite
import Foundation
import Testing

/// The history as tables, read by a connection that has none of our functions and collations.
@Suite("The history file")
struct HistoryTableTests {
    private func history(_ sample: Sample, _ path: String) throws -> TemporalProjection {
        let temporal = try TemporalProjection(.file(path), schema: sample.schema, storeID: "S", modelSequence: 1)
        try temporal.catchUp { after, apply in
            for record in sample.records where record.sequence > after { try apply(record) }
        }
        return temporal
    }

    @Test("opens while another program reads it before it has a write-ahead log")
    func withoutWriteAheadLog() throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let schema = try Sample().schema
        func open() throws { _ = try TemporalProjection(.file(path), schema: schema, storeID: "S", modelSequence: 1) }
        try open()
        try Connection(.file(path), mode: .readWrite).execute("PRAGMA journal_mode = DELETE")
        let other = try Connection(.file(path), mode: .readOnly)
        try other.execute("BEGIN; SELECT * FROM Person_history")
        #expect(throws: Never.self) { try open() }
        try other.execute("COMMIT")
    }

    @Test(
        "has at each record the rows, changes and members that the change sets say",
        arguments: [21, 22, 23] as [UInt64])
    func everyRecord(seed: UInt64) throws {
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        var expected = ExpectedHistory(sample.schema)
        for _ in 0..<300 {
            let changes = history.next()
            try sample.append(.changes(changes))
            expected.apply(changes, SequenceNumber(UInt64(sample.records.count)))
        }
        _ = try self.history(sample, path)
        let plain = try Connection(.file(path), mode: .readOnly)
        for entity in ["Person", "Animal", "Dog", "Bird", "Tag"] {
            for sequence in stride(from: 1, through: sample.records.count, by: 11) {
                let valid = "from_record <= \(sequence) AND (to_record > \(sequence) OR to_record IS NULL)"
                let rows = try plain.texts("SELECT * FROM \(entity)_history WHERE \(valid) ORDER BY object_key")
                #expect(rows == expected.rows(of: entity, at: sequence), "seed \(seed), \(entity) at \(sequence)")
            }
            let now = try plain.texts("SELECT * FROM \(entity)_now ORDER BY object_key")
            let last = expected.rows(of: entity, at: sample.records.count, withoutEnd: true)
            #expect(now == last, "seed \(seed), \(entity)")
        }
        let shown = "SELECT record, entity, object_key, property, operation, old, new FROM"
        #expect(try plain.texts("\(shown) firn_changes").sorted() == expected.changes.sorted(), "seed \(seed)")
        for (name, members) in [("Person_tags", expected.tags), ("Person_friends", expected.friends)] {
            let rows = try plain.texts("SELECT object_key, member_key, from_record, to_record FROM \(name)_history")
            #expect(rows.sorted() == members.sorted(), "seed \(seed)")
        }
        let objects = try plain.texts("SELECT entity, object_key, first_record, deleted_by_record FROM firn_objects")
        #expect(objects.sorted() == expected.objects.sorted(), "seed \(seed)")
    }

    @Test("is the same if it was made at once, or in steps by several programs", arguments: [31, 32] as [UInt64])
    func steps(seed: UInt64) throws {
        let (path, other) = (ProjectionTests.temporaryPath(), ProjectionTests.temporaryPath())
        defer { for path in [path, other] { ProjectionTests.remove(path) } }
        let sample = try Sample()
        var history = RandomHistory(sample.schema, seed: seed)
        for _ in 0..<8 {
            for _ in 0..<20 { try sample.append(.changes(history.next())) }
            _ = try self.history(sample, path)
        }
        _ = try self.history(sample, other)
        func dump(_ path: String) throws -> [String] {
            let plain = try Connection(.file(path), mode: .readOnly)
            let names = try plain.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'firn_%' "
                    + "AND name NOT LIKE 'firn_words%'")
            #expect(names.count > 8)
            return try names.flatMap { try plain.texts("SELECT * FROM \"\($0.dropFirst().dropLast())\"") }
        }
        #expect(try dump(path) == dump(other), "seed \(seed)")
    }

    @Test("has a view for each entity, whatever names entities and properties have")
    func names() throws {
        let names = ["Book", "Book_history", "BOOK", "order", "firn", "sqlite", "quo\"ted 'name'", "Z_x"]
        let properties = ["select", "object_key", "SET_BY", "Object_Key", "quo\"te", "Z_PK", "to_record"]
        let model = NSManagedObjectModel()
        model.entities = names.map { name in
            let entity = SampleModel.entity(name)
            entity.properties = properties.map { SampleModel.attribute($0, .stringAttributeType) }
            return entity
        }
        let schema = StoreSchema(model: model)
        let path = ProjectionTests.temporaryPath()
        defer { ProjectionTests.remove(path) }
        let temporal = try TemporalProjection(.file(path), schema: schema, storeID: "S", modelSequence: 1)
        let groups = names.map { name in
            schema.group(.insert, name, 1, Dictionary(uniqueKeysWithValues: properties.map { ($0, .text(name + $0)) }))
        }
        try temporal.catchUp { _, apply in
            try apply(Sample.record(1, .model(schema.logModel)))
            try apply(Sample.record(2, .changes(ChangeSet(model: 1, groups: groups))))
        }
        let plain = try Connection(.file(path), mode: .readOnly)
        let views = schema.layout.historyViews
        #expect(Set(views.map { $0.name.lowercased() }).count == views.count)
        for name in names {
            let view = try #require(views.first { $0.entity == name && $0.kind == .history })
            let quoted = "\"\(view.name.replacing("\"", with: "\"\""))\""
            let rows = try plain.texts("SELECT * FROM \(quoted)")
            #expect(rows.count == 1)
            for property in properties { #expect(rows[0].contains("'\(name)\(property)'"), "\(name) \(property)") }
            let column = "E\(schema.named(name).rawValue)_SET_BY"
            #expect(try plain.texts("SELECT object_key, \(column) FROM \(quoted)") == ["1|'\(name)SET_BY'"])
            let literal = name.replacing("'", with: "''")
            let changes = try plain.texts("SELECT property, new FROM firn_changes WHERE entity = '\(literal)'")
            #expect(changes.sorted() == properties.map { "'\($0)'|'\(name)\($0)'" }.sorted(), "\(name)")
        }
        #expect(try plain.texts("SELECT \"select\" FROM \"order_history\"") == ["'orderselect'"])
    }
}

extension Connection {
    /// Rows as texts, each value as SQL writes it.
    func texts(_ sql: String) throws -> [String] {
        try withStatement(sql) { statement in
            var rows: [String] = []
            while try statement.step() {
                rows.append((0..<Int32(statement.columnCount)).map { statement.value($0).words }.joined(separator: "|"))
            }
            return rows
        }
    }
}

extension SQLiteValue {
    fileprivate var words: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): "x\(bytes)"
        }
    }
}

/// Each version of each object as change sets say, kept in dictionaries.
private struct ExpectedHistory {
    private struct Version {
        var key: ObjectKey
        var values: [UInt16: PropertyValue]
        var start: Int
        var end: Int?
    }

    private let schema: StoreSchema
    private var versions: [ObjectKey: [Version]] = [:]
    private(set) var changes: [String] = []
    private var links: [[Int64]: [(start: Int, end: Int?)]] = [:]

    init(_ schema: StoreSchema) { self.schema = schema }

    mutating func apply(_ set: ChangeSet, _ sequence: SequenceNumber) {
        let record = Int(sequence.rawValue)
        var before: [ObjectKey: Version?] = [:]
        for group in set.groups {
            for (row, key) in group.primaryKeys.enumerated() {
                let object = ObjectKey(entity: group.entity, primaryKey: key)
                if before[object] == nil { before[object] = .some(versions[object]?.last { $0.end == nil }) }
                apply(group, row, object, record)
            }
        }
        for (object, old) in before { addChanges(of: object, from: old, record) }
        for group in set.links { apply(group, record) }
    }

    private mutating func apply(_ group: ChangeGroup, _ row: Int, _ object: ObjectKey, _ record: Int) {
        var values: [UInt16: PropertyValue] = [:]
        if let last = versions[object]?.indices.last, versions[object]?[last].end == nil {
            values = versions[object]?[last].values ?? [:]
            versions[object]?[last].end = record
            // A version that the same record made was never valid.
            if versions[object]?[last].start == record { versions[object]?.removeLast() }
        }
        if group.operation == .delete { return }
        for (index, slot) in group.slots.enumerated() { values[slot] = group.new[index][row] }
        versions[object, default: []].append(Version(key: object, values: values, start: record))
    }

    private mutating func addChanges(of object: ObjectKey, from old: Version?, _ record: Int) {
        let new = versions[object]?.last.flatMap { $0.end == nil ? $0 : nil }
        guard old != nil || new != nil, let place = schema.layout.place(object.entity) else { return }
        let operation = old == nil ? "insert" : new == nil ? "delete" : "update"
        for (slot, property) in place.slots.enumerated() where property.column != nil {
            if case .position = property.kind { continue }
            let values = [old, new].map { $0?.values[UInt16(slot)] ?? .null }
            // To SQLite, 0.0 and -0.0 are one value.
            if case .real(let was) = values[0], case .real(let now) = values[1], was == now { continue }
            let (was, now) = (words(values[0], property), words(values[1], property))
            guard was != now else { continue }
            changes.append(
                "\(record)|'\(place.name)'|\(object.primaryKey)|'\(property.name)'|'\(operation)'|\(was)|\(now)")
        }
    }

    private mutating func apply(_ group: LinkGroup, _ record: Int) {
        let isTags = group.entity == schema.named("Person") && group.slot == schema.slot(group.entity, "tags")
        let name = isTags ? "tags" : "friendOf"
        func pair(_ link: Link) -> [Int64] {
            [isTags ? 1 : 0, link.source.primaryKey, link.destination.primaryKey]
        }
        let (removed, added) = (group.removed.map(pair), group.added.map(pair))
        for pair in removed {
            if let last = links[pair]?.indices.last { links[pair]?[last].end = record }
            if added.contains(pair) { continue }
            changes.append("\(record)|'Person'|\(pair[1])|'\(name)'|'remove'|\(pair[2])|NULL")
        }
        for pair in added {
            links[pair, default: []].append((record, nil))
            if removed.contains(pair) { continue }
            changes.append("\(record)|'Person'|\(pair[1])|'\(name)'|'add'|NULL|\(pair[2])")
        }
    }

    private func words(_ value: PropertyValue?, _ property: SlotPlace) -> String {
        switch value ?? .null {
        case .null: return "NULL"
        case .integer(let number): return "\(number)"
        case .real(let number) where property.kind == .attribute(.date):
            let date = Date(timeIntervalSinceReferenceDate: number)
            return "'" + date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z'"
        case .real(let number): return number.isNaN ? "'NaN'" : "\(number)"
        case .text(let text): return "'\(text)'"
        case .blob(let bytes) where property.kind == .attribute(.uuid):
            let hex = bytes.map { String(format: "%02X", $0) }
            return "'" + [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }.joined(separator: "-") + "'"
        case .blob(let bytes): return "x\(bytes)"
        case .reference(let key): return "\(key.primaryKey)"
        }
    }

    func rows(of entity: String, at record: Int, withoutEnd: Bool = false) -> [String] {
        let wanted = schema.layout.place(schema.named(entity))
        let valid = versions.values.flatMap(\.self).filter { version in
            wanted?.subtree.contains(version.key.entity) ?? false && version.start <= record
                && version.end ?? Int.max > record
        }
        return valid.sorted { $0.key.primaryKey < $1.key.primaryKey }.map { version in
            let name = schema.layout.place(version.key.entity)?.name ?? ""
            let head = ["\(version.key.primaryKey)", "'\(name)'", "\(version.start)"]
            let end = withoutEnd ? [] : [version.end.map { "\($0)" } ?? "NULL"]
            let values = (wanted?.slots ?? []).enumerated().flatMap { slot, property -> [String] in
                guard property.column != nil else { return [] }
                let value = version.values[UInt16(slot)]
                guard property.entityColumn != nil else { return [words(value, property)] }
                guard case .reference(let key)? = value else { return ["NULL", "NULL"] }
                return [words(value, property), "'\(schema.layout.place(key.entity)?.name ?? "")'"]
            }
            return (head + end + ["NULL", "'1970-01-01T00:00:00.000Z'"] + values).joined(separator: "|")
        }
    }

    var objects: [String] {
        versions.compactMap { key, versions in
            guard let first = versions.first, let last = versions.last else { return nil }
            let name = schema.layout.place(key.entity)?.name ?? ""
            return "'\(name)'|\(key.primaryKey)|\(first.start)|\(last.end.map { "\($0)" } ?? "NULL")"
        }
    }

    var tags: [String] { members(1, isReversed: false) }
    /// The other side of `friendOf`.
    var friends: [String] { members(0, isReversed: true) }

    private func members(_ kind: Int64, isReversed: Bool) -> [String] {
        links.filter { $0.key[0] == kind }.flatMap { pair, spans in
            spans.map { span in
                let sides = isReversed ? "\(pair[2])|\(pair[1])" : "\(pair[1])|\(pair[2])"
                return "\(sides)|\(span.start)|\(span.end.map { "\($0)" } ?? "NULL")"
            }
        }
    }
}
