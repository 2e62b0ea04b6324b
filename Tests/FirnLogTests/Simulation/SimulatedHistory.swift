import FirnLog

/// What a simulated program has saved, kept in plain Swift: what the log is held against.
struct SimulatedHistory {
    struct Row: Hashable {
        var title: String
        var version: Int64
    }

    /// The body of record i + 1.
    private(set) var bodies: [LogRecord.Body] = []
    /// All records up to this one were acknowledged.
    var acknowledged = 0
    private var lastKey: Int64 = 0

    var count: Int { bodies.count }

    /// The next record: an insert under a new key, an update or a delete of a row that is there.
    mutating func makeBody(_ random: inout SeededGenerator) -> LogRecord.Body {
        let rows = rows(at: count)
        let title = "note \(random.next() % 1000)" + String(repeating: "x", count: Int(random.next() % 200))
        let chosen = rows.keys.sorted().randomElement(using: &random)
        let body: LogRecord.Body
        if count == 0 {
            body = .model(Samples.model)
        } else if let chosen, let row = rows[chosen], random.next() % 2 == 0 {
            let operation: ChangeGroup.Operation = random.next() % 3 == 0 ? .delete : .update
            body = Self.change(chosen, operation, old: row.title, new: title)
        } else {
            lastKey += 1
            body = Self.change(lastKey, .insert, old: "", new: title)
        }
        bodies.append(body)
        return body
    }

    /// Forgets what did not survive.
    mutating func truncate(to count: Int) { bodies.removeLast(bodies.count - count) }

    /// The rows after a record.
    func rows(at sequence: Int) -> [Int64: Row] {
        var rows: [Int64: Row] = [:]
        for index in 0..<sequence {
            guard case .changes(let changes) = bodies[index] else { continue }
            Self.apply(changes, at: Int64(index + 1), to: &rows)
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

    static func apply(_ changes: ChangeSet, at version: Int64, to rows: inout [Int64: Row]) {
        for group in changes.groups {
            for (row, key) in group.primaryKeys.enumerated() {
                if group.operation == .delete {
                    rows[key] = nil
                } else if case .text(let title) = group.new[0][row] {
                    rows[key] = Row(title: title, version: version)
                }
            }
        }
    }

    /// The parts of a baseline of these rows.
    func baseline(at sequence: Int, _ write: (BaselinePart) throws -> Void) throws {
        try write(.keys([EntityNumber(1): lastKey(at: sequence)]))
        let rows = rows(at: sequence).sorted { $0.key < $1.key }
        guard !rows.isEmpty else { return }
        var titles = Column(.text)
        for row in rows { titles.append(row.value.title) }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: rows.map(\.key), slots: [0], new: [titles])
        try write(.rows(ChangeSet(model: 1, groups: [group]), versions: [rows.map(\.value.version)]))
    }

    private static func change(
        _ key: Int64, _ operation: ChangeGroup.Operation, old: String, new: String
    ) -> LogRecord.Body {
        func column(_ text: String) -> [Column] {
            var column = Column(.text)
            column.append(text)
            return [column]
        }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: operation, primaryKeys: [key], slots: [0],
            new: operation == .delete ? [] : column(new), old: operation == .insert ? [] : column(old))
        return .changes(ChangeSet(model: 1, groups: [group]))
    }
}
