import FirnLog
import TestSupport

/// What a simulated program has saved, kept in plain Swift: what the log is held against.
struct SimulatedHistory {
    struct Row: Hashable {
        /// Nil after it was erased.
        var title: String?
        var version: Int64
    }

    /// The body of record i + 1.
    private(set) var bodies: [LogRecord.Body] = []
    /// What each of them was before each erasure: what a reader may have that had the file open.
    private(set) var earlier: [[LogRecord.Body]] = []
    /// All records up to this one were acknowledged.
    var acknowledged = 0
    private var lastKey: Int64 = 0

    var count: Int { bodies.count }

    /// The next record: an insert under a new key, an update or a delete of a row that is there.
    mutating func makeBody(_ random: inout SeededGenerator) -> LogRecord.Body {
        let rows = rows(at: count)
        let model = model(at: count)
        let title = "note \(random.next() % 1000)" + String(repeating: "x", count: Int(random.next() % 200))
        let chosen = rows.keys.sorted().randomElement(using: &random)
        let body: LogRecord.Body
        if count == 0 {
            body = .model(Samples.model)
        } else if let chosen, let row = rows[chosen], random.next() % 2 == 0 {
            let operation: ChangeGroup.Operation = random.next() % 3 == 0 ? .delete : .update
            body = .changes(Self.change(chosen, operation, old: row.title, new: title, model))
        } else {
            lastKey += 1
            body = .changes(Self.change(lastKey, .insert, old: nil, new: title, model))
        }
        append(body)
        return body
    }

    /// The next record: another model, which only differs in its document, or brings all rows with it.
    mutating func makeMigration(withRows: Bool) -> LogRecord.Body {
        var model = Samples.model
        model.document = Array("model of record \(count + 1)".utf8)
        model.migration = LogMigration(
            source: self.model(at: count), highestNumber: EntityNumber(1), entities: withRows ? [] : nil,
            rows: withRows ? allRows(at: count, model: SequenceNumber(UInt64(count + 1))) : nil)
        append(.model(model))
        return .model(model)
    }

    mutating func append(_ body: LogRecord.Body) {
        bodies.append(body)
        earlier.append([])
    }

    /// Forgets what did not survive.
    mutating func truncate(to count: Int) {
        bodies.removeLast(bodies.count - count)
        earlier.removeLast(earlier.count - count)
    }

    /// Takes the values of an object out of all records so far.
    mutating func erase(_ key: Int64) {
        for index in bodies.indices {
            earlier[index].append(bodies[index])
            switch bodies[index] {
            case .changes(let changes): bodies[index] = .changes(Self.redacted(changes, key))
            case .model(var model):
                guard let rows = model.migration?.rows else { continue }
                model.migration?.rows = Self.redacted(rows, key)
                bodies[index] = .model(model)
            default: break
            }
        }
    }

    /// The record of the model that is in force after a record.
    func model(at sequence: Int) -> SequenceNumber {
        let last = bodies[..<sequence].lastIndex { if case .model = $0 { true } else { false } }
        return SequenceNumber(UInt64((last ?? 0) + 1))
    }

    /// The rows after a record.
    func rows(at sequence: Int) -> [Int64: Row] {
        var rows: [Int64: Row] = [:]
        for index in 0..<sequence {
            Self.apply(bodies[index], at: Int64(index + 1), to: &rows)
        }
        return rows
    }

    /// The last key that was given by a record.
    func lastKey(at sequence: Int) -> Int64 {
        var last: Int64 = 0
        for body in bodies[..<sequence] {
            guard case .changes(let changes) = body else { continue }
            last = max(last, changes.groups[0].primaryKeys[0])
        }
        return last
    }

    static func apply(_ body: LogRecord.Body, at version: Int64, to rows: inout [Int64: Row]) {
        switch body {
        case .changes(let changes): apply(changes, to: &rows) { _ in version }
        case .model(let model):
            guard let all = model.migration?.rows else { return }
            rows = [:]
            apply(all, to: &rows) { _ in version }
        default: break
        }
    }

    /// - Parameter version: of the row with an index within its group.
    static func apply(_ changes: ChangeSet, to rows: inout [Int64: Row], version: (Int) -> Int64) {
        for group in changes.groups {
            for (row, key) in group.primaryKeys.enumerated() {
                if group.operation == .delete {
                    rows[key] = nil
                } else if case .text(let title)? = group.new.first?[row] {
                    rows[key] = Row(title: title, version: version(row))
                } else {
                    rows[key] = Row(title: nil, version: version(row))
                }
            }
        }
    }

    /// The parts of a baseline of these rows.
    func baseline(at sequence: Int, _ write: (BaselinePart) throws -> Void) throws {
        try write(.keys([EntityNumber(1): lastKey(at: sequence)]))
        let rows = rows(at: sequence).sorted { $0.key < $1.key }
        guard !rows.isEmpty else { return }
        let all = allRows(at: sequence, model: model(at: sequence))
        try write(.rows(all, versions: [rows.map(\.value.version)]))
    }

    /// The rows after a record as one insertion.
    private func allRows(at sequence: Int, model: SequenceNumber) -> ChangeSet {
        let rows = rows(at: sequence).sorted { $0.key < $1.key }
        if rows.isEmpty { return ChangeSet(model: model) }
        let titles = Self.column(rows.map(\.value.title))
        let isNamed = rows.contains { $0.value.title != nil }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: rows.map(\.key), slots: isNamed ? [0] : [],
            new: isNamed ? [titles] : [])
        return ChangeSet(model: model, groups: [group])
    }

    private static func column(_ titles: [String?]) -> Column {
        var column = Column(.text)
        for title in titles {
            if let title { column.append(title) } else { column.appendNull() }
        }
        return column
    }

    /// What `LogMaintenance.erase` makes of a change set: nulls, and no property that no row has.
    private static func redacted(_ changes: ChangeSet, _ key: Int64) -> ChangeSet {
        var changes = changes
        for index in changes.groups.indices {
            guard let row = changes.groups[index].primaryKeys.firstIndex(of: key),
                (changes.groups[index].new + changes.groups[index].old).contains(where: { !$0.isNull(at: row) })
            else { continue }
            func redacted(_ columns: [Column]) -> [Column] {
                columns.map { column in
                    Self.column(
                        (0..<column.count).map { place in
                            guard place != row, case .text(let title) = column[place] else { return nil }
                            return title
                        })
                }
            }
            var group = changes.groups[index]
            (group.new, group.old) = (redacted(group.new), redacted(group.old))
            let isEmpty = (group.new + group.old).allSatisfy { column in (0..<column.count).allSatisfy(column.isNull) }
            if isEmpty, group.operation != .update { (group.slots, group.new, group.old) = ([], [], []) }
            changes.groups[index] = group
        }
        return changes
    }

    private static func change(
        _ key: Int64, _ operation: ChangeGroup.Operation, old: String?, new: String, _ model: SequenceNumber
    ) -> ChangeSet {
        func column(_ text: String?) -> [Column] { [self.column([text])] }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: operation, primaryKeys: [key], slots: [0],
            new: operation == .delete ? [] : column(new), old: operation == .insert ? [] : column(old))
        return ChangeSet(model: model, groups: [group])
    }
}
