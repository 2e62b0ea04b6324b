import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Objects in predicates")
struct PredicateTests {
    @Test(
        "an object and its ID are one value, in the store and over unsaved changes",
        arguments: ["author == %@", "SELF.author == %@", "author IN {%@}"])
    func objects(_ format: String) throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        let eve = context.make("Author", ["name": "Eve"])
        context.make("Book", ["title": "Notes"]).setValue(ada, forKey: "author")
        context.make("Book", ["title": "Poems"]).setValue(eve, forKey: "author")
        try context.save()
        for value in [ada, ada.objectID] as [NSObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: format, value)
            let titles = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(titles == ["Notes"], "\(value)")
            _ = context.make("Tag")
            let overlaid = try context.fetch(request).map { $0.value(forKey: "title") as? String }
            #expect(overlaid == ["Notes"], "\(value), with unsaved changes")
            context.rollback()
        }
    }

    @Test(
        "a list with nil in it has the objects without a value, in the store, over unsaved changes and in memory",
        arguments: [
            ("age IN %@", ["Ada", "Bob"]), ("%@ CONTAINS age", ["Ada", "Bob"]), ("NOT age IN %@", ["Eve"]),
            ("NOT %@ CONTAINS age", ["Eve"]), ("age IN {nil, 36}", ["Ada", "Bob"]),
            ("age IN {36, nil}", ["Ada", "Bob"]),
            ("NOT age IN {nil, 36}", ["Eve"]), ("ANY books.pages IN %@", ["Ada", "Eve"]),
            ("ALL books.pages IN %@", ["Ada", "Bob", "Eve"]), ("age IN %@ AND age != nil", ["Ada"]),
            ("SUBQUERY(books, $b, $b.pages IN %@).@count > 0", ["Ada", "Eve"]),
        ] as [(String, Set<String>)])
    func nilMembers(_ format: String, _ expected: Set<String>) throws {
        let lists: [Any] = [
            [NSNull(), 36], [36, nil] as [Int?], NSSet(array: [36, NSNull()]), Set<Int?>([nil, 36]),
            [nil, 36, 1, 2, 3, 4, 5, 6, 7, 8] as [Int?],
        ]
        for list in lists {
            let coordinator = try Library.inMemory()
            let context = coordinator.context()
            for (name, age) in [("Ada", 36), ("Bob", nil), ("Eve", 40)] as [(String, Int?)] {
                let author = context.make("Author", ["name": name])
                author.setValue(age, forKey: "age")
                guard name != "Bob" else { continue }
                let book = context.make("Book")
                if name == "Ada" { book.setValue(36, forKey: "pages") }
                book.setValue(author, forKey: "author")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: format, argumentArray: format.contains("%@") ? [list] : [])
            let predicate = try #require(request.predicate)
            func names(_ authors: [NSManagedObject]) -> Set<String> {
                Set(authors.compactMap { $0.value(forKey: "name") as? String })
            }
            #expect(names(try context.fetch(request)) == expected, "unsaved, \(list)")
            try context.save()
            let reader = coordinator.context()
            #expect(names(try reader.fetch(request)) == expected, "\(list)")
            withExtendedLifetime(reader) {}
            let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
            #expect(names(all.filter { predicate.evaluate(with: $0) }) == expected, "in memory, \(list)")
        }
    }
}
