/// What changed between two records, as one net change an object, whatever happened in between.
///
///     record    11: + Person/3    12: ~ Person/3 name    13: ~ Person/1 name A → B    14: ~ Person/1 name B → A
///     10 … 14   + Person/3 with the newer name; Person/1 is as it was, so the difference lacks it
public struct LogDifference: Hashable, Sendable {
    /// One group an object, by entity and key, then the members that came and went; in the terms of the model that
    /// was current after the later record.
    public var changes: ChangeSet
    public var model: LogModel
    /// Migrations in between that rewrote rows. The difference does not contain the values that they changed.
    public var rewrites: [SequenceNumber]

    /// The difference from the later record to the earlier: inserts are deletes, and old and new values are exchanged.
    public var reversed: LogDifference {
        var result = self
        for index in result.changes.groups.indices {
            let group = changes.groups[index]
            result.changes.groups[index].new = group.old
            result.changes.groups[index].old = group.new
            switch group.operation {
            case .insert: result.changes.groups[index].operation = .delete
            case .delete: result.changes.groups[index].operation = .insert
            case .update, .refresh: break
            }
        }
        for index in result.changes.links.indices {
            result.changes.links[index].added = changes.links[index].removed
            result.changes.links[index].removed = changes.links[index].added
        }
        return result
    }
}
