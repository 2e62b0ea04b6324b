/// A piece of a baseline: the whole state after a record, from which a log whose beginning was cut off still
/// rebuilds.
///
///     baseline of record n = every model of records 1 … n, the keys allocated by then, rows and members as they were
public enum BaselinePart: Hashable, Sendable {
    /// A model, with the record that carried it.
    case model(SequenceNumber, LogModel)
    /// For each root entity, the last primary key that was allocated.
    case keys([EntityNumber: Int64])
    /// Inserts and added members. `versions` has, for each group and row, the record that last touched the row.
    case rows(ChangeSet, versions: [[Int64]])
}
