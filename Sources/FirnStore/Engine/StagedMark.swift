package import FirnLog

/// The marks of a staged migration in the headers of records: that a handler follows, and that it came to its end.
package enum StagedMark {
    private static let key = "stagedMigration"
    /// In the header of the migration that a handler follows.
    package static let begun = [key: "begun"]
    /// In the header of the record that says that the handler is done.
    package static let done = [key: "done"]

    /// Whether the handler that follows the migration in this record has not come to its end.
    package static func isPending(in log: SegmentLog, after migration: SequenceNumber) throws -> Bool {
        // Such a migration is not cut off.
        guard migration > log.baseline else { return false }
        let reader = try log.records(after: SequenceNumber(migration.rawValue - 1))
        guard try reader.next()?.header.metadata[key] == begun[key] else { return false }
        while let record = try reader.next() {
            if record.header.metadata[key] == done[key] { return false }
        }
        return true
    }
}
