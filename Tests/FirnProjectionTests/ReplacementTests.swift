import Dispatch
import FirnProjection
import FirnSQLite
import Foundation
import TestSupport
import Testing

/// SQLite by itself removes a write-ahead log by its name when the last connection closes.
/// https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
@Suite("A file that takes the place of another")
struct ReplacementTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("Library.sqlite").path }

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ path: String, rows: Int) throws -> Connection {
        let connection = try Connection(.file(path), mode: .create)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS Note(text)")
        for row in 0..<rows { try connection.execute("INSERT INTO Note VALUES('row \(row)')") }
        return connection
    }

    @Test("keeps its write-ahead log while another thread closes the old file")
    func closedMeanwhile() throws {
        var random = SeededGenerator(seed: 3)
        for round in 0..<60 {
            Projection.remove(path)
            let old = Holder(try make(path, rows: 40))
            _ = try make(path + ".side", rows: 3)
            let closed = DispatchSemaphore(value: 0)
            let delay = random.next() % 40_000
            Thread.detachNewThread {
                // At another moment of the replacement in each round.
                for _ in 0..<delay { _ = getpid() }
                old.connection = nil
                closed.signal()
            }
            try Projection.replace(path, by: path + ".side")
            let writer = try Connection(.file(path), mode: .readWrite)
            try writer.execute("INSERT INTO Note VALUES('new')")
            closed.wait()
            let reader = try Connection(.file(path), mode: .readOnly)
            #expect(try reader.integer("SELECT count(*) FROM Note") == 4, "round \(round)")
            _ = consume writer
        }
    }

    @Test("has a write-ahead log and an index that closing an older file does not remove")
    func names() throws {
        let old = Holder(try make(path, rows: 1))
        // As if another program had put its files here after this one's close had looked whether its own had moved.
        for suffix in ["-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: path + suffix)
            try Data("new".utf8).write(to: URL(fileURLWithPath: path + suffix))
        }
        old.connection = nil
        for suffix in ["-wal", "-shm"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + suffix)) == Data("new".utf8), "\(suffix)")
        }
    }

    private final class Holder: @unchecked Sendable {
        var connection: Connection?
        init(_ connection: Connection) { self.connection = connection }
    }
}
