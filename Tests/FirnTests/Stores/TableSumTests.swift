import Firn
import FirnSQLite
import FirnStore
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Sums of hashes that say whether tables are those of a log.
@Suite("Sums of tables")
struct TableSumTests {
    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private var path: String { directory.file("Library.sqlite").path }

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
    }

    /// Every kind of value, members in order and without, and rows that were changed and deleted.
    private func fill() throws {
        let poet = context.make(
            "Poet",
            [
                "name": "Ada", "age": 36, "born": Date(timeIntervalSince1970: 0), "isAlive": true, "height": -0.0,
                "portrait": Data([1, 2]), "worth": NSDecimalNumber(string: "1.5"), "meter": "iambic", "id": UUID(),
                "homepage": try #require(URL(string: "https://example.com")),
            ])
        let books = (0..<3).map { context.make("Book", ["title": "\($0)", "pages": $0, "author": poet]) }
        let tag = context.make("Tag", ["label": "new", "books": Set(books)])
        _ = context.make("Author", ["height": Double.nan])
        try context.save()
        books[0].setValue(9, forKey: "pages")
        books[1].setValue(nil, forKey: "title")
        poet.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
        tag.setValue(Set(books.dropFirst()), forKey: "books")
        try context.save()
        context.delete(books[2])
        try context.save()
    }

    private func isEqual() throws -> Bool? { try StoredTables.hasSum(directory.file("Library.sqlite")) }

    private func close() throws { for store in coordinator.persistentStores { try coordinator.remove(store) } }

    @Test("are those of the log after changes of every kind, after a trim and after an erasure")
    func equal() throws {
        try fill()
        #expect(try isEqual() == true)
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        #expect(try isEqual() == true)
        let author = try #require(try context.all("Poet").first)
        _ = try coordinator.erase(author.objectID, property: "name")
        #expect(try isEqual() == true)
    }

    /// Each change is of one column of one row, and taken back.
    @Test("are others as soon as one value of one row is another one, whatever its column")
    func different() throws {
        try fill()
        OpenProjectors.catchUp()
        try close()
        let tables = try Connection(.file(path), mode: .readWrite)
        let names = try texts(tables, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'firn%'")
        var changeCount = 0
        for table in names {
            let columns = try texts(tables, "SELECT name FROM pragma_table_info('\(table)')")
            let key = columns.contains("Z_PK") ? "Z_PK" : "Z_SRC, Z_DST"
            let row = "(\(key)) = (SELECT \(key) FROM \"\(table)\" ORDER BY 1 LIMIT 1)"
            for column in columns where column != "Z_PK" {
                // Not as a literal: -0.0 is 0.0 in SQL.
                let old = "SELECT \"\(column)\" AS value FROM \"\(table)\" WHERE \(row)"
                try tables.execute("CREATE TEMP TABLE old AS \(old)")
                let change = "UPDATE \"\(table)\" SET \"\(column)\""
                try tables.execute("\(change) = 77 WHERE \(row)")
                #expect(try isEqual() == false, "\(table) \(column)")
                try tables.execute("\(change) = (SELECT value FROM temp.old) WHERE \"\(column)\" = 77")
                try tables.execute("DROP TABLE temp.old")
                #expect(try isEqual() == true, "\(table) \(column), changed back")
                changeCount += 1
            }
        }
        #expect(changeCount > 20)
        try tables.execute("UPDATE firn_keys SET last = last + 1")
        #expect(try isEqual() == false)
    }

    private func texts(_ tables: Connection, _ sql: String) throws -> [String] {
        try tables.withStatement(sql) { statement in
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(0)) }
            return texts
        }
    }
}
