package import FirnLog
internal import FirnSQLite

/// What a projection stores about its log, as of its checkpoint.
package struct ProjectionMark {
    package let checkpoint: SequenceNumber
    /// All records up to this one were known to be durable.
    package let durable: SequenceNumber
    /// The chain value of the checkpoint's record; nil if the committing caller did not know it.
    package let link: ChainValue?

    init(_ connection: Connection) throws {
        (checkpoint, durable, link) = try connection.withStatement(
            "SELECT checkpoint, durable, link FROM firn_store"
        ) { statement in
            guard try statement.step() else { return (.zero, .zero, nil) }
            let link: ChainValue? =
                if case .blob(let bytes) = statement.value(2), bytes.count == ChainValue.size {
                    bytes.withUnsafeBytes { ChainValue(bytes: $0) }
                } else {
                    nil
                }
            return (
                SequenceNumber(stored: statement.integer(0)), SequenceNumber(stored: statement.integer(1)), link
            )
        }
    }

    /// The mark of the file at `path`; nil if it is no projection of this format, or cannot be read.
    package init?(path: String) {
        guard (try? ProjectionFile(inspecting: path)) == .ours,
            let connection = try? ProjectionFile.connectionForReading(path),
            (try? connection.integer("SELECT format FROM firn_store")) == ProjectionFormat.version,
            let mark = try? ProjectionMark(connection)
        else { return nil }
        self = mark
    }
}
