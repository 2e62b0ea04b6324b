import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// What a fetch finds before a save, after it, and with an unsaved change of what was found. The three have to agree.
@Suite("A fetch finds the same before and after a save")
struct StoredEqualsUnsavedTests {
    struct Question: Sendable, CustomStringConvertible {
        let format: String
        let arguments: @Sendable () -> [Any]
        let names: Set<String>

        var description: String { format }

        init(_ format: String, _ names: Set<String>, _ arguments: @autoclosure @escaping @Sendable () -> [Any] = []) {
            self.format = format
            self.names = names
            self.arguments = arguments
        }

        /// 1. Functions of a decimal are numbers for SQLite, and are compared with a text.
        static let decimals = [
            Question("abs:(worth) > 2", ["Ada", "Bob"]), Question("abs:(worth) < 2", []),
            Question("floor:(worth) == 3", ["Ada"]), Question("ceiling:(worth) < 0", ["Bob"]),
            Question("trunc:(worth) > 0", ["Ada"]), Question("modulus:by:(worth, 2) == 1.5", ["Ada"]),
            Question("TERNARY(age > 0, height, worth) == -3.5", ["Bob"]),
        ]
        /// 2. A decimal and a column of doubles: the guard against NaN compares a text with 9e999.
        static let columns = [
            Question("worth < height", ["Bob"]), Question("worth <= height", ["Bob"]),
            Question("height > worth", ["Bob"]), Question("height >= worth", ["Bob"]),
        ]
        /// 3. No decimal is as great as the bound: it becomes the text NaN, which is before all numbers.
        static let bounds = [
            Question("worth <= %@", ["Ada", "Bob"], [Double.greatestFiniteMagnitude]),
            Question("worth < %@", ["Ada", "Bob"], [Double.infinity]),
            Question("worth > %@", [], [Double.infinity]),
            Question("worth BETWEEN {0, 1.7976931348623157e308}", ["Ada"]),
        ]
        /// 4. NaN is bound as a text, which is greater than all numbers, and before all decimals.
        static let notANumber = [
            Question("height < %@", [], [Double.nan]), Question("age <= %@", [], [Double.nan]),
            Question("worth > %@", [], [Double.nan]),
            Question("born < %@", [], [Date(timeIntervalSinceReferenceDate: .nan)]),
        ]
        /// 5. Two constants, one of them nil.
        static let constants = [
            Question("%@ == nil OR name == %@", ["Ada", "Bob", "Eve"], [NSNull(), NSNull()]),
            Question("%@ != nil AND name == %@", ["Ada"], ["Ada", "Ada"]),
        ]
        /// 6. A URI is a text in SQL and a URL in memory; the same of a UUID and its bytes.
        static let addresses = [
            Question("homepage == 'https://a.example/x'", ["Ada"]), Question("homepage BEGINSWITH 'https'", ["Ada"]),
            Question("homepage IN {'https://a.example/x'}", ["Ada"]),
            Question("id == %@", ["Ada"], [Data([UInt8](repeating: 7, count: 16))]),
        ]
        /// 7. Values of Swift's own types.
        static let types = [
            Question("height > %@", ["Ada"], [CGFloat(0)]), Question("height IN %@", ["Ada"], [[CGFloat(1.5)]]),
            Question("name == %@", ["Ada"], ["Ada!".prefix(3)]), Question("age IN %@", ["Ada"], [1...6]),
        ]
        /// 8. Two steps to many are joined in SQL, and collections of collections in memory.
        static let steps = [
            Question("ANY books.tags.label == 'red'", ["Ada"]), Question("'red' IN books.tags.label", ["Ada"]),
            Question("NONE books.tags.label == 'red'", ["Bob", "Eve"]),
            Question("ALL books.tags.label BEGINSWITH 'r'", ["Ada", "Bob", "Eve"]),
            Question("ANY books.tags.label IN {'red', 'blue'}", ["Ada"]),
            Question("books.tags.label CONTAINS 'blue'", []),
        ]
        /// 9. Null is unknown, also to what is around a comparison with it.
        static let nulls = [
            Question("age != 5", ["Bob"]), Question("NOT (age == 5)", ["Bob"]),
            Question("NOT (age == nil)", ["Ada", "Bob"]), Question("NOT (age > 100)", ["Ada", "Bob"]),
            Question("NOT (age IN {5, 6})", ["Bob"]), Question("NOT (age IN {5, nil})", ["Bob"]),
            Question("NOT (age IN {})", ["Ada", "Bob", "Eve"]), Question("NOT (age IN {'x'})", ["Ada", "Bob"]),
            Question("NOT (homepage IN[c] {'x'})", ["Ada"]), Question("NOT (age BETWEEN {0, 9})", ["Bob"]),
            Question("NOT (age BETWEEN {nil, 0})", ["Ada"]), Question("NOT (homepage BEGINSWITH 'http')", []),
            Question("NOT (id == 'x')", ["Ada"]), Question("id != 'x'", ["Ada"]),
            Question("NOT (age LIKE 'x')", ["Ada", "Bob"]), Question("NOT (age == height)", ["Ada", "Bob"]),
            Question("NOT (worth < 'x')", []), Question("NOT (height > %@)", ["Ada", "Bob"], [Double.nan]),
            Question("NOT (age IN {height, 5})", ["Bob"]), Question("NOT (name IN books.title)", ["Ada", "Bob", "Eve"]),
            Question("NOT (age == 5 OR height > 100)", ["Bob"]),
            Question("NOT (age == 5 AND name == 'x')", ["Ada", "Bob", "Eve"]),
            Question("TERNARY(age != 5, 1, 2) == 2", ["Ada", "Eve"]),
            Question("NOT (ANY books.pages != 5)", ["Ada", "Bob", "Eve"]),
            Question("ALL books.pages == 5", ["Bob", "Eve"]),
            Question("SUBQUERY(books, $b, NOT ($b.pages == 7)).@count == 2", ["Ada"]),
        ]
        /// 10. A store joins rows: equal values of several members are several.
        static let joins = [
            Question("books.pages.@sum == 10", ["Ada"]), Question("sum:(books.pages) == 10", ["Ada"]),
            Question("count:(books.pages) == 3", ["Ada"]), Question("books.@avg.pages == 5", ["Ada"]),
            Question("average:(books.pages) == 5", ["Ada"]), Question("books.tags.@count == 1", ["Ada"]),
            Question("SUBQUERY(books.tags, $t, $t.label == 'red').@count == 1", ["Ada"]),
        ]
        /// 11. Functions that have no number, and casts of what is none.
        static let functions = [
            Question("ln:(age - 5) < 0", ["Ada"]), Question("NOT (sqrt:(age) > 100)", ["Ada"]),
            Question("NOT (log:(age) > 100)", ["Ada"]),
            Question("CAST(name, 'NSNumber') == nil", ["Ada", "Bob", "Eve"]),
            Question("CAST(name, 'NSDate') == nil", ["Ada", "Bob", "Eve"]),
            Question("CAST(name, 'NSDecimalNumber') == nil", ["Ada", "Bob", "Eve"]),
            Question("CAST(age, 'NSString') == '5'", ["Ada"]), Question("CAST(height * 2, 'NSString') == '3'", ["Ada"]),
            Question("age + name == nil", ["Ada", "Bob", "Eve"]), Question("abs:(name) == nil", ["Ada", "Bob", "Eve"]),
            Question("NOT (nil BETWEEN {age, 7})", ["Ada", "Bob", "Eve"]), Question("5 IN {name, age}", ["Ada"]),
            Question("CAST(worth, 'NSString') == '-3.5'", ["Bob"]), Question("born - born == 0", ["Ada", "Bob"]),
        ]
    }

    @Test(
        "it does",
        arguments: Question.decimals + Question.columns + Question.bounds + Question.notANumber + Question.constants
            + Question.addresses + Question.types + Question.steps + Question.nulls + Question.joins
            + Question.functions)
    func same(_ question: Question) throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make(
            "Author",
            [
                "name": "Ada", "age": 5, "height": 1.5, "worth": Decimal(string: "3.5") ?? 0, "born": Date(),
                "homepage": URL(string: "https://a.example/x") as Any,
                "id": UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7)),
            ])
        let bob = context.make(
            "Author",
            ["name": "Bob", "age": -7, "height": -2.5, "worth": Decimal(string: "-3.5") ?? 0, "born": Date()])
        _ = context.make("Author", ["name": "Eve"])
        let tag = context.make("Tag", ["label": "red"])
        for (title, pages) in [("x", 5), ("y", 5), ("z", nil)] as [(String, Int?)] {
            let book = context.make("Book", ["title": title, "author": ada])
            if let pages { book.setValue(pages, forKey: "pages") }
            if title == "x" { book.setValue(NSSet(object: tag), forKey: "tags") }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: question.format, argumentArray: question.arguments())
        func names(_ context: NSManagedObjectContext) throws -> Set<String> {
            Set(try context.fetch(request).compactMap { $0.text("name") })
        }
        #expect(try names(context) == question.names, "before the save")
        try context.save()
        let reader = coordinator.context()
        #expect(try names(reader) == question.names, "after the save")
        for author in [ada, bob] { author.setValue(true, forKey: "isAlive") }
        #expect(try names(context) == question.names, "with another property changed")
    }
}
