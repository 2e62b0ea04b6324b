import FirnLog
import FirnProjection

/// The last primary key that each root entity has given away, as the records of a log up to one of them tell.
struct GivenKeys {
    private let layout: TableLayout
    private var last: [EntityNumber: Int64] = [:]
    /// The record after which they are known; zero before they are.
    private(set) var sequence = SequenceNumber.zero

    init(layout: TableLayout) { self.layout = layout }

    func last(in root: EntityNumber) -> Int64 { last[root] ?? 0 }

    /// Takes what the tables say behind a record.
    mutating func load(_ last: [EntityNumber: Int64], at sequence: SequenceNumber) {
        self.last = last
        self.sequence = sequence
    }

    /// Takes the record that follows; after any other one, keys must be loaded.
    mutating func take(_ record: LogRecord) {
        switch record.body {
        case .changes(let changes): take(changes, at: record.sequence)
        case .reservation(let keys):
            guard follows(record.sequence) else { return }
            for (entity, key) in keys { note(key, entity) }
        case .erasure: _ = follows(record.sequence)
        case .model, .baseline: break
        }
    }

    mutating func take(_ changes: ChangeSet, at sequence: SequenceNumber) {
        guard follows(sequence) else { return }
        for group in changes.groups where group.operation == .insert {
            if let key = group.primaryKeys.max() { note(key, group.entity) }
        }
    }

    private mutating func follows(_ next: SequenceNumber) -> Bool {
        guard sequence != .zero, next == sequence.next else { return false }
        sequence = next
        return true
    }

    private mutating func note(_ key: Int64, _ entity: EntityNumber) {
        guard let root = layout.place(entity)?.root else { return }
        last[root] = max(last[root] ?? 0, key)
    }
}
