import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Comparisons that the tables answer by other means than memory does.
@Suite("Conformance (m): comparisons at the edges")
struct FetchEdgeConformanceTests {
    private let context: NSManagedObjectContext

    init() throws { context = try Library.inMemory().context() }

    /// What a fetch finds.
    private func names(_ entity: String, _ key: String, _ format: String, _ arguments: Any...) throws -> Set<String> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        request.predicate = predicate
        return Set(try context.fetch(request).compactMap { $0.text(key) })
    }

    @Test("m.42 a value that is no number is not greater than any, nor equal", arguments: ["height", "born"])
    func notANumber(key: String) throws {
        let values = ["none": Double.nan, "less": -1, "zero": 0, "more": 1, "most": .infinity]
        for (name, value) in values {
            let stored: Any = key == "born" ? Date(timeIntervalSinceReferenceDate: value) : value
            _ = context.make("Author", ["name": name, key: stored])
        }
        try context.save()
        let zero: Any = key == "born" ? Date(timeIntervalSinceReferenceDate: 0) : 0.0
        #expect(try names("Author", "name", "\(key) > %@", zero) == ["more", "most"])
        #expect(try names("Author", "name", "\(key) >= %@", zero) == ["zero", "more", "most"])
        #expect(try names("Author", "name", "\(key) < %@", zero) == ["less"])
        #expect(try names("Author", "name", "\(key) <= %@", zero) == ["less", "zero"])
        #expect(try names("Author", "name", "%@ < \(key)", zero) == ["more", "most"])
        #expect(try names("Author", "name", "%@ <= \(key)", zero) == ["zero", "more", "most"])
    }

    /// Kelvin's sign, the Greek question mark and the varia are other characters than K, ; and `, and equivalent.
    @Test(
        "m.42 BEGINSWITH finds texts that begin with a character equivalent to the one that is asked for",
        arguments: [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("aK", "a\u{212A}")])
    func equivalent(_ asked: String, _ stored: String) throws {
        for title in [stored + "1", asked + "2", "x"] { _ = context.make("Book", ["title": title]) }
        try context.save()
        #expect(try names("Book", "title", "title BEGINSWITH %@", asked).count == 2)
        #expect(try names("Book", "title", "title BEGINSWITH %@", stored).count == 2)
    }

    @Test("m.42 a fetch with a compound predicate of no parts finds nothing for OR, and all for AND")
    func noParts() throws {
        _ = context.make("Tag", ["label": "red"])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        #expect(try context.count(for: request) == 0)
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(try context.count(for: request) == 1)
    }

    @Test("m.42 a value is not equal to one of a kind that it can never be")
    func otherKind() throws {
        for name in ["Ada", "Bob"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        let url = try #require(URL(string: "https://example.org"))
        #expect(try names("Author", "name", "name != %@", Data([1])) == ["Ada", "Bob"])
        #expect(try names("Author", "name", "portrait == %@ OR name == 'Ada'", url) == ["Ada"])
    }

    @Test("m.42 a variable of a SUBQUERY within another of the same name stands for the inner member")
    func nestedVariables() throws {
        let tag = context.make("Tag", ["label": "red"])
        let book = context.make("Book", ["title": "blue", "pages": 10])
        book.setValue(NSSet(object: tag), forKey: "tags")
        context.make("Author", ["name": "Ada"]).setValue(NSOrderedSet(object: book), forKey: "books")
        try context.save()
        let inner = "SUBQUERY($x.tags, $x, $x.label == 'red').@count > 0"
        #expect(try names("Author", "name", "SUBQUERY(books, $x, \(inner)).@count > 0") == ["Ada"])
        let outer = "\(inner) AND $x.title == 'blue'"
        #expect(try names("Author", "name", "SUBQUERY(books, $x, \(outer)).@count > 0") == ["Ada"])
        let none = "SUBQUERY($x.tags, $x, $x.label == 'blue').@count > 0"
        #expect(try names("Author", "name", "SUBQUERY(books, $x, \(none)).@count > 0") == [])
        let ada = try #require(try context.all("Author").first)
        #expect(NSPredicate(format: "SUBQUERY(books, $x, \(outer)).@count > 0").evaluate(with: ada))
        #expect(!NSPredicate(format: "SUBQUERY(books, $x, \(none)).@count > 0").evaluate(with: ada))
    }
}
