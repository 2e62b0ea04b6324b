package import FirnLog
internal import FirnSQLite

/// The position in its log that a projection stores, as of its checkpoint.
package struct ProjectionMark {
    /// The store's UUID.
    package let store: String
    package let checkpoint: SequenceNumber
    /// All records up to this one were known to be durable.
    package let durable: SequenceNumber
    /// The chain value of the checkpoint's record; nil if the committing caller did not know it.
    package let link: ChainValue?

    init(_ connection: Connection) throws {
        (store, checkpoint, durable, link) = try connection.withStatement(
            "SELECT store, checkpoint, durable, link FROM firn_store"
        ) { statement in
            guard try statement.step() else { return ("", .zero, .zero, nil) }
            let link: ChainValue? =
                if case .blob(let bytes) = statement.value(3), bytes.count == ChainValue.size {
                    bytes.withUnsafeBytes { ChainValue(bytes: $0) }
                } else {
                    nil
                }
            return (
                statement.text(0), SequenceNumber(stored: statement.integer(1)),
                SequenceNumber(stored: statement.integer(2)), link
            )
        }
    }

    /// The mark of the file at `path`; nil if it is no projection, or cannot be read.
    package init?(path: String) {
        guard (try? ProjectionFile(inspecting: path)) == .ours,
            let connection = try? ProjectionFile.connectionForReading(path),
            let mark = try? ProjectionMark(connection)
        else { return nil }
        self = mark
    }

    /// The last record of the log in the folder that was durable, according to the tables at `path`; zero if they tell
    /// nothing of it.
    package static func durable(
        path: String, logDirectory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) -> SequenceNumber {
        guard let mark = ProjectionMark(path: path),
            let id = try? SegmentLog.storeID(directory: logDirectory, fileSystem: fileSystem),
            id.uuidString == mark.store
        else { return .zero }
        return mark.durable
    }
}

/// The records that a store's tables hold and its log does not: the log lost them, and the tables have the only copy of
/// what they did.
package struct LostRecords: Sendable {
    /// The log's last record.
    package let head: SequenceNumber
    /// The tables' last record.
    package let checkpoint: SequenceNumber

    /// Nil if the log has what the tables hold, or may lack it: records that were not durable go with the power, and
    /// the tables are rebuilt without them. Read the mark before the log's last record.
    package init?(_ mark: ProjectionMark?, _ log: SegmentLog) {
        guard let mark, mark.store == log.storeID.uuidString else { return nil }
        // Of a damaged log, what can be read.
        head = (try? log.refresh()) ?? log.head
        checkpoint = mark.checkpoint
        guard checkpoint <= head else {
            if mark.link != nil, mark.durable <= head { return nil }
            return
        }
        guard checkpoint > log.baseline, let link = mark.link,
            let there = try? log.link(at: checkpoint), there != link
        else { return nil }
    }
}

extension LostRecords: CustomStringConvertible {
    /// One line, which names both records.
    package var description: String {
        let state =
            checkpoint > head
            ? "the log ends with record \(head), and the tables hold record \(checkpoint)"
            : "the log, which ends with record \(head), has another record \(checkpoint) than the tables hold"
        return state + ": the log has lost records, and only the tables have what they did; restore the log from a "
            + "backup or a replica"
    }

    /// How to continue without them.
    package static func remedy(_ path: String) -> String {
        "“firn rebuild --set-tables-aside \(path)” continues without them, and keeps the old tables"
    }
}
