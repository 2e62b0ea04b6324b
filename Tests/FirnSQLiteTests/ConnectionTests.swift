import FirnSQLite
import Foundation
import Testing

@Suite("A SQLite connection")
struct ConnectionTests {
    @Test("gives back what was bound")
    func roundTrip() throws {
        let connection = try Connection(.memory)
        let values: [SQLiteValue] = [
            .null, .integer(.min), .integer(.max), .real(-.infinity), .real(-0.0),
            .real(.leastNonzeroMagnitude), .text(""), .text("a\0b"), .text("漢字é👩‍👩‍👧"),
            .text("'; DROP TABLE \"x\"; --"), .blob([]), .blob([0, 255, 0]),
        ]
        for value in values {
            let back = try connection.withStatement("SELECT ?1") { statement in
                try statement.bind(value, at: 1)
                _ = try statement.step()
                return statement.value(0)
            }
            #expect(back == value)
        }
    }

    @Test("names the code, the statement and the file of an error")
    func errors() throws {
        let path = NSTemporaryDirectory() + "firn-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let connection = try Connection(.file(path))
        let error = try #require(throws: SQLiteError.self) { try connection.prepare("SELEC 1") }
        #expect(error.code == .error)
        #expect(error.sql == "SELEC 1")
        #expect(error.path == path)
        #expect(error.description.contains("syntax error"))
    }

    @Test("waits for another connection's lock from the start")
    func busyTimeout() throws {
        #expect(try Connection(.memory).integer("PRAGMA busy_timeout") == 10_000)
    }

    @Test("reads the first bytes of its file, as many as there are")
    func firstBytes() throws {
        let path = NSTemporaryDirectory() + "firn-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try Connection(.file(path)).firstBytes(16) == [])
        try Connection(.file(path)).execute("CREATE TABLE t(a)")
        #expect(try Connection(.file(path)).firstBytes(16) == Array("SQLite format 3\0".utf8))
        try Data("short".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Connection(.file(path), mode: .readOnly).firstBytes(16) == Array("short".utf8))
    }

    @Test("does not make a missing file when it may only read")
    func missingFile() throws {
        let error = #expect(throws: SQLiteError.self) {
            try Connection(.file("/nonexistent/x.sqlite"), mode: .readOnly)
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.path == "/nonexistent/x.sqlite")
    }

    @Test("keeps nothing of a transaction whose body throws")
    func rollback() throws {
        struct Stop: Error {}
        let connection = try Connection(.memory)
        try connection.execute("CREATE TABLE t(a)")
        #expect(throws: Stop.self) {
            try connection.transaction(.immediate) {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
        #expect(!connection.isInTransaction)
    }

    @Test("lends a nested call with the same SQL a statement of its own")
    func nestedStatements() throws {
        let connection = try Connection(.memory)
        let sum = try connection.withStatement("SELECT ?1") { outer in
            try outer.bind(Int64(1), at: 1)
            let inner = try connection.withStatement("SELECT ?1") { inner in
                try inner.bind(Int64(2), at: 1)
                _ = try inner.step()
                return inner.integer(0)
            }
            _ = try outer.step()
            return outer.integer(0) + inner
        }
        #expect(sum == 3)
    }

    @Test("forgets the bindings of a kept statement")
    func clearedBindings() throws {
        let connection = try Connection(.memory)
        try connection.withStatement("SELECT ?1") { try $0.bind(Int64(1), at: 1) }
        let isNull = try connection.withStatement("SELECT ?1") { statement in
            _ = try statement.step()
            return statement.isNull(0)
        }
        #expect(isNull)
    }
}
