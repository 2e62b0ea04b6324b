import FirnSQLite
import Foundation
import TestSupport
import Testing

/// SQLite before 3.51.3 damages a database if another connection restarts the write-ahead log during a checkpoint.
/// https://www.sqlite.org/wal.html#walresetbug
@Suite("A checkpoint of a write-ahead log")
struct CheckpointTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("Notes.sqlite").path }

    init() throws { directory = try TemporaryDirectory() }

    /// A connection whose write-ahead log is large.
    private func connection() throws -> Connection {
        let connection = try Connection(.file(path))
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE Note(text)")
        try connection.execute("INSERT INTO Note VALUES(zeroblob(5000000))")
        return connection
    }

    private func size(_ suffix: String = "") throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
    }

    @Test("A commit leaves all pages in the write-ahead log, however large that is")
    func noAutomaticCheckpoint() throws {
        let connection = try connection()
        #expect(connection.needsWALCheckpoint)
        #expect(try size() < 100_000)
    }

    @Test("A checkpoint copies the write-ahead log into the file")
    func copies() throws {
        let connection = try connection()
        connection.checkpointWALIfNeeded()
        #expect(try size() > 5_000_000)
        #expect(!connection.needsWALCheckpoint)
    }

    @Test("A checkpoint copies nothing while another connection writes")
    func writer() throws {
        let connection = try connection()
        let other = try Connection(.file(path), mode: .readWrite)
        try other.transaction(.immediate) {
            let error = #expect(throws: SQLiteError.self) { try connection.checkpointWAL() }
            #expect(error?.code == .busy)
        }
        #expect(try size() < 100_000)
    }

    @Test("A checkpoint that had to wait in vain is done after the next commit")
    func retry() throws {
        let connection = try connection()
        let other = try Connection(.file(path), mode: .readWrite)
        try other.transaction(.immediate) { connection.checkpointWALIfNeeded() }
        try connection.execute("INSERT INTO Note VALUES('next')")
        connection.checkpointWALIfNeeded()
        #expect(try size() > 5_000_000)
    }

    @Test("Others write after a checkpoint, into a write-ahead log that begins again")
    func restart() throws {
        let connection = try connection()
        let other = try Connection(.file(path), mode: .readWrite)
        for _ in 0..<5 {
            try connection.checkpointWAL()
            try other.execute("UPDATE Note SET text = zeroblob(5000000)")
        }
        #expect(try size("-wal") < 10_000_000)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
    }

    @Test("A checkpoint leaves a file alone that took the place of its own")
    func replaced() throws {
        let connection = try connection()
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try Connection(.file(path)).execute("CREATE TABLE Other(text)")
        try connection.checkpointWAL()
        #expect(connection.needsWALCheckpoint)
    }
}
