import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Values are never a part of SQL: whatever they hold, the store answers as memory does, and nothing else happens.
@Suite("A hostile value")
struct HostileValueTests {
    static let values = [
        "'", "\"", "'; DROP TABLE \"Author\"; --", "\" OR 1=1 --", "?1", ":name", "$x", "%@", "%", "_", "*", "?", "\\",
        "[a-z]", "a\0b", "\0", "\n;\r\n", "\u{202E}txt", "E\u{301}", "🏳️‍🌈", "",
        String(repeating: "x'\"; ", count: 2_000),
    ]

    let context: NSManagedObjectContext

    init() throws {
        context = try Library.inMemory().context()
        let rows = Self.values.map { ["name": $0] as [String: Any] } + [["name": "Ada"], [:]]
        _ = try context.execute(NSBatchInsertRequest(entityName: "Author", objects: rows))
        for author in try context.all("Author") {
            context.make("Book", ["title": author.text("name") ?? "none"]).setValue(author, forKey: "author")
        }
        try context.save()
    }

    static let formats = [
        "name == %@", "name != %@", "name < %@", "name <= %@", "name > %@", "name >= %@", "name ==[cd] %@",
        "name !=[c] %@", "name BEGINSWITH %@", "name BEGINSWITH[cd] %@", "name ENDSWITH %@", "name ENDSWITH[c] %@",
        "name CONTAINS %@", "name CONTAINS[d] %@", "name LIKE %@", "name LIKE[cd] %@", "%@ CONTAINS name",
        "name IN {%@, 'Ada'}", "NOT (name IN {%@})", "name BETWEEN {%@, 'B'}", "ANY books.title == %@",
        "SUBQUERY(books, $b, $b.title == %@).@count == 1", "TERNARY(name == %@, 1, 2) == 1", "uppercase(%@) == name",
        "NONE books.title CONTAINS %@",
    ]

    @Test("gives the answer that memory gives, in every operator", arguments: values.indices)
    func oneAnswer(_ index: Int) throws {
        let value = Self.values[index]
        let authors = try context.all("Author")
        for format in Self.formats {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: format, value)
            request.nullRule = .memory
            let stored = Set(try context.fetch(request).map(\.objectID))
            let predicate = try #require(request.predicate)
            let memory = Set(authors.filter { predicate.evaluate(with: $0) }.map(\.objectID))
            let differing = stored.symmetricDifference(memory).map { context.object(with: $0) }
            let difference = differing.map { $0.text("name")?.prefix(20) }
            #expect(difference.isEmpty, "\(format) with value \(index): \(difference)")
        }
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == Self.values.count + 2)
    }

    @Test("of a regular expression is a pattern and nothing else")
    func pattern() throws {
        for value in Self.values where value.utf8.count < 1000 {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: "name MATCHES %@", NSRegularExpression.escapedPattern(for: value))
            #expect(try context.fetch(request).map { $0.text("name") } == [value], "\(value.debugDescription)")
        }
    }

    @Test("can be written by a batch update, and found by it")
    func update() throws {
        for value in Self.values {
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", value)
            request.propertiesToUpdate = ["title": value + "'", "pages": 1]
            request.resultType = .updatedObjectsCountResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            #expect((result?.result as? NSNumber)?.intValue == 1, "\(value.prefix(20).debugDescription)")
        }
    }

    @Test("is one of 100,000 in a list")
    func longLists() throws {
        let names = (0..<100_000).map { "name \($0)" } + Self.values
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "name IN %@", names)
        #expect(try context.count(for: request) == Self.values.count)
        request.predicate = NSPredicate(format: "NOT (name IN %@)", names)
        #expect(try context.fetch(request).map { $0.text("name") } == ["Ada"])
        let ids = try context.all("Author").map(\.objectID)
        request.predicate = NSPredicate(format: "SELF IN %@", Array(repeatElement(ids, count: 5000).joined()))
        #expect(try context.count(for: request) == ids.count)
    }
}
