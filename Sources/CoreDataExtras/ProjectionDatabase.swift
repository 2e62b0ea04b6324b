import Firn
import FirnLog
import FirnProjection
import FirnSQLite
import Foundation

/// One file with the tables of a projection and how far they have come. Not for two threads at once.
final class ProjectionDatabase {
    enum Outcome {
        case upToDate
        /// The tables cannot be continued: history was trimmed past them, values were erased, or the log is another.
        case mustRebuild
    }

    private static let batchSize = 200

    let path: String
    let connection: Connection
    private let content: any TableProjection
    private let history: OpenHistory

    /// Opens the file, or makes it with its tables. Nil if it is of another version or another store.
    init?(_ path: String, _ content: any TableProjection, _ history: OpenHistory) throws {
        self.path = path
        self.content = content
        self.history = history
        connection = try FolderLock.opening.held(for: path) {
            let connection = try Connection(.file(path), mode: .create)
            try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            try connection.openFiles()
            return connection
        }
        try connection.transaction(.immediate) {
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 else { return }
            try connection.execute(
                "CREATE TABLE firn_projection"
                    + "(store TEXT NOT NULL, version INTEGER NOT NULL, position TEXT NOT NULL)")
            try connection.withStatement("INSERT INTO firn_projection VALUES (?1, ?2, '0')") {
                try $0.bind(history.identifier, at: 1)
                try $0.bind(Int64(content.version), at: 2)
                try $0.run()
            }
            try content.createTables(in: ProjectionTables(connection))
        }
        guard try Self.isCurrent(connection, content, history) else { return nil }
    }

    /// Whether the tables are those of this version, made from this store.
    static func isCurrent(
        _ connection: Connection, _ content: any TableProjection, _ history: OpenHistory
    ) throws -> Bool {
        let own = try connection.integer(
            "SELECT count(*) FROM pragma_table_info('firn_projection') WHERE name = 'position'")
        return try own == 1 && connection.text("SELECT store FROM firn_projection") == history.identifier
            && connection.integer("SELECT version FROM firn_projection") == Int64(content.version)
    }

    /// The record that was applied last.
    private var position: LogPosition {
        get throws { try connection.text("SELECT position FROM firn_projection").flatMap { LogPosition($0) } ?? 0 }
    }

    /// Applies what came since, in transactions of several records. Erasures up to `known` are in what the log says.
    func advance(erasuresKnownThrough known: SequenceNumber) throws -> Outcome {
        var source = HistorySource(history, after: try position)
        while true {
            let outcome: Outcome? = try connection.transaction(.immediate) {
                // Another process may have applied some.
                if try position != source.position { source = HistorySource(history, after: try position) }
                for _ in 0..<Self.batchSize {
                    if let outcome = try step(source, known) { return outcome }
                }
                return nil
            }
            connection.checkpointWALIfNeeded()
            if let outcome { return outcome }
        }
    }

    /// Applies one record; nil if there may be more.
    private func step(_ source: HistorySource, _ known: SequenceNumber) throws -> Outcome? {
        let before = source.position
        switch try source.next() {
        case .nothing: return .upToDate
        case .restart(let last):
            guard before == 0 else { return .mustRebuild }
            try content.begin(with: history.state(after: last.sequence), in: ProjectionTables(connection))
        case .record(let record):
            if case .changes = record.body {
                try content.apply(source.transaction(record), to: ProjectionTables(connection))
            }
            if case .erasure = record.body, record.sequence > known { return .mustRebuild }
        }
        try connection.withStatement("UPDATE firn_projection SET position = ?1") {
            try $0.bind(source.position.description, at: 1)
            try $0.run()
        }
        return nil
    }
}
