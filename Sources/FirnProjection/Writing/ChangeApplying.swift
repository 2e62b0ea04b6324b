internal import FirnLog

/// Writes change sets into tables: the current rows, or every version of every row.
protocol ChangeApplying: AnyObject {
    /// `versions` are those of the rows of a baseline; else every row's is `sequence`.
    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws
    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws

    /// Reads the writer's own state. Called in a new transaction, since another process may have written.
    func load() throws

    /// Writes the writer's own state, before the transaction's end.
    func store() throws
}

extension ChangeApplying {
    func load() throws {}
    func store() throws {}
}

/// The key of a prepared statement for groups.
struct GroupShape: Hashable {
    var entity: EntityNumber
    var operation: ChangeGroup.Operation
    var slots: [UInt16]
    /// Whether one run of the statement writes all rows of a group.
    var isMultiRow = false
}
