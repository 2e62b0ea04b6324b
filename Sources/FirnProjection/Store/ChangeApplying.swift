internal import FirnLog

/// Writes change sets into tables: the current rows, or every version of every row.
protocol ChangeApplying: AnyObject {
    /// `versions` are those of the rows of a baseline; else every row's is `sequence`.
    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws
    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws

    /// Reads what is kept beside the rows. Called in a new transaction: another process may have written.
    func load() throws

    /// Writes what is kept beside the rows, before the transaction's end.
    func store() throws
}

extension ChangeApplying {
    func load() throws {}
    func store() throws {}
}

/// What tells one prepared statement for groups from another.
struct GroupShape: Hashable {
    var entity: EntityNumber
    var operation: ChangeGroup.Operation
    var slots: [UInt16]
    /// Whether one run of the statement takes all rows of a group.
    var isOfMany = false
}
