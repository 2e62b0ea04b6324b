import FirnLog
import FirnSQLite
import Foundation
import TestSupport
import Testing

@Suite("The tool gives the history as tables")
struct SQLToolTests {
    let firn = BuiltProgram("firn")
    let store: SampleStore

    init() throws { store = try SampleStore() }

    private func query(_ words: String...) throws -> [String] { try firn.run(["sql", store.path] + words).lines }

    @Test("Without a query, the file is made and its tables are listed with the number of their rows")
    func list() throws {
        let lines = try query()
        #expect(lines[0] == "\(store.path)-history: up to record 4")
        let words = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(words.contains { $0.prefix(2) == ["firn_records", "4"] })
        #expect(words.contains { $0.prefix(2) == ["Person_history", "3"] })
        #expect(words.contains { $0.prefix(2) == ["Person_now", "1"] })
        // Counting would compare all versions.
        #expect(words.contains { $0.prefix(2) == ["Person_changes", "changes"] })
        let json = try query("--json")
        #expect(json.count == 1 && json[0].contains(#""file":"\#(store.path)-history","head":4,"tables":[{"#))
        #expect(json[0].contains(#"{"name":"Person_history","entity":"Person","rows":3}"#))
    }

    @Test("A query's rows are printed in columns, as JSON and as CSV")
    func forms() throws {
        let sql = "SELECT object_key, from_record, to_record, name, born, photo FROM Person_history ORDER BY 1, 2"
        let table = try query(sql)
        try #require(table.count == 4)
        #expect(table[0].hasPrefix("object_key  from_record  to_record  name"))
        #expect(table[1].hasPrefix("         1            2          4  Ada"))
        #expect(table[3].contains("Grace \"Amazing\"␊"))
        #expect(
            try query("--json", sql)[0] == #"{"object_key":1,"from_record":2,"to_record":4,"name":"Ada","#
                + #""born":"2001-01-01T00:00:00.000Z","photo":"AP8="}"#)
        let csv = try query("--csv", sql)
        try #require(csv.count == 5)
        #expect(csv[0] == "object_key,from_record,to_record,name,born,photo")
        #expect(csv[2] == "1,4,,Ada Lovelace,2001-01-01T00:00:00.000Z,AP8=")
        #expect(csv[3] == "2,3,4,\"Grace \"\"Amazing\"\"")
    }

    @Test("A file that is there already gets what was saved since")
    func caughtUp() throws {
        _ = try query()
        try store.append(.changes(SampleStore.insert(3, name: "Eve", friend: nil)))
        #expect(try query("--csv", "SELECT name FROM Person_now WHERE from_record = 5") == ["name", "Eve"])
    }

    @Test("What is wrong is said with the remedy", arguments: [
        ("SELECT * FROM Person_histroy", "no such table: Person_histroy; did you mean Person_history?"),
        ("SELEC 1", "syntax error"),
        ("DELETE FROM firn_records", "this statement writes"),
        ("SELECT 1; SELECT 2", "there is more than one statement"),
        ("/* nothing */", "there is no statement"),
        ("", "there is no statement"),
    ])
    func mistakes(sql: String, complaint: String) throws {
        let outcome = try firn.run("sql", store.path, sql)
        #expect(outcome.status == 2 && outcome.complaints.contains(complaint), "\(outcome.complaints)")
    }

    @Test("A store that is not there, a database of another program and two forms at once are refused")
    func refused() throws {
        #expect(try firn.run("sql", store.path + "x", "SELECT 1").complaints.contains("no such store"))
        #expect(try firn.run("sql", "--json", "--csv", store.path, "SELECT 1").status == 2)
        let foreign = try Connection(.file(store.path + "-history"), mode: .create)
        try foreign.execute("CREATE TABLE theirs(x)")
        let outcome = try firn.run("sql", store.path, "SELECT 1")
        #expect(outcome.status != 0 && outcome.complaints.contains("was not made by this library"))
        #expect(try foreign.integer("SELECT count(*) FROM theirs") == 0)
    }

    @Test("Six questions of a person are answered by a connection that knows nothing of ours")
    func sixQuestions() throws {
        _ = try query()
        let plain = try Connection(.file(store.path + "-history"), mode: .readOnly)
        func rows(_ sql: String) throws -> [String] {
            try plain.withStatement(sql) { statement in
                var rows: [String] = []
                while try statement.step() {
                    rows.append((0..<Int32(statement.columnCount)).map { statement.text($0) }.joined(separator: "|"))
                }
                return rows
            }
        }
        // Who changed this value, and what was before?
        #expect(
            try rows(
                "SELECT record, set_by, old, new FROM firn_changes WHERE entity = 'Person' AND object_key = 1 "
                    + "AND property = 'name' ORDER BY record") == ["2|test||Ada", "4|test|Ada|Ada Lovelace"])
        // What happened in an hour?
        let hour = "set_at >= '2023-11-14T22' AND set_at < '2023-11-14T23'"
        #expect(
            try rows("SELECT record, operation, count(*) FROM firn_changes WHERE \(hour) GROUP BY 1, 2 ORDER BY 1, 2")
                == ["2|insert|4", "3|insert|5", "4|delete|5", "4|update|1"])
        // What did a user change?
        #expect(
            try rows(
                "SELECT property, new FROM firn_changes WHERE set_by = 'im\u{1B}port' AND property < 'n' ORDER BY 1")
                == ["born|2001-01-01T00:00:00.000Z", "friend|1", "isActive|1"])
        // What would undo a record?
        #expect(
            try rows("SELECT object_key, old FROM firn_changes WHERE record = 4 AND property = 'name' ORDER BY 1")
                == ["1|Ada", "2|Grace \"Amazing\"\n"])
        // What was an object then?
        let then = "from_record <= 3 AND (to_record > 3 OR to_record IS NULL)"
        #expect(
            try rows("SELECT object_key, name FROM Person_history WHERE \(then) ORDER BY 1")
                == ["1|Ada", "2|Grace \"Amazing\"\n"])
        // Which object has, or had, a text?
        #expect(
            try rows("SELECT DISTINCT object_key FROM firn_changes WHERE new LIKE '%amazing%' OR old LIKE '%amazing%'")
                == ["2"])
        #expect(try rows("SELECT name, deleted_by_record FROM firn_objects ORDER BY object_key")
            == ["Ada Lovelace|", "Grace \"Amazing\"\n|4"])
    }

    @Test("The statements of the format's page run on a store with a long history, and its views agree")
    func format() throws {
        let path = store.folder.file("Audit.sqlite").path
        let make = Process()
        make.executableURL = PackageFolder.url.appending(path: "Tools/make-audit-store")
        make.arguments = [path, "--records", "300", "--firn", firn.url.path]
        make.standardOutput = FileHandle.nullDevice
        try make.run()
        make.waitUntilExit()
        #expect(make.terminationStatus == 0)
        _ = try firn.run("sql", path)
        let page = try String(contentsOf: PackageFolder.url.appending(path: "Documentation/Format.md"), encoding: .utf8)
        let statements = page.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(statements.count == 10)
        let plain = try Connection(.file(path + "-history"), mode: .readOnly)
        for sql in statements { _ = try plain.prepare(written: sql).step() }
        let counts = try ["inserted", "updated", "deleted", "added", "removed"].map {
            try plain.integer("SELECT sum(\($0)) FROM firn_records") ?? 0
        }
        let versions = try plain.integer(
            "SELECT (SELECT count(*) FROM Book_history) + (SELECT count(*) FROM Reader_history) "
                + "+ (SELECT count(*) FROM Writer_history)")
        #expect(versions == counts[0] + counts[1])
        #expect(try plain.integer("SELECT count(*) FROM firn_objects WHERE deleted_by_record > 0") == counts[2])
        #expect(try plain.integer("SELECT count(*) FROM Book_writers_history") == counts[3])
        #expect(try plain.integer("SELECT count(*) FROM Writer_books_history WHERE to_record > 0") == counts[4])
        #expect(try plain.integer("SELECT count(DISTINCT set_by) FROM firn_changes") ?? 0 >= 7)
    }
}
