import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate

/// Section (m): predicates without measure are answered, or are an error; they stop and block nothing.
@Suite("Conformance (m): limits of predicates")
struct PredicateLimitConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try Library.inMemory().context()
        _ = context.make("Author", ["name": String(repeating: "a", count: 40) + "!", "age": 5])
        _ = context.make("Author", ["name": "b", "age": 7])
        try context.save()
    }

    private func count(_ predicate: NSPredicate) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = predicate
        return try context.count(for: request)
    }

    private func nested(_ depth: Int) -> NSPredicate {
        (0..<depth).reduce(NSPredicate(format: "age == 5")) { part, _ in
            NSCompoundPredicate(notPredicateWithSubpredicate: part)
        }
    }

    @Test("m.15 a disjunction of 100,000 equalities is answered")
    func equalities() throws {
        let terms = (5..<100_005).map { NSPredicate(format: "age == %d", $0) }
        #expect(try count(NSCompoundPredicate(orPredicateWithSubpredicates: terms)) == 2)
        let others = terms + [NSPredicate(format: "age == nil"), NSPredicate(format: "name == 'b'")]
        #expect(try count(NSCompoundPredicate(orPredicateWithSubpredicates: others.filter { $0 != terms[0] })) == 1)
        #expect(
            try count(
                NSPredicate(format: "age == nil OR " + (0..<100).map { "age == \($0)" }.joined(separator: " OR "))) == 2
        )
        #expect(
            try count(NSPredicate(format: "NOT (" + (6..<100).map { "age == \($0)" }.joined(separator: " OR ") + ")"))
                == 1)
    }

    @Test("m.15 a predicate of more comparisons than SQLite bears is an error that says how to ask")
    func terms() throws {
        let term = NSPredicate(format: "age > 3 AND age < 1")
        let predicate = NSCompoundPredicate(orPredicateWithSubpredicates: Array(repeating: term, count: 100_000))
        let error = #expect(throws: NSError.self) { try count(predicate) }
        #expect(error?.localizedDescription.contains("20000") == true)
    }

    @Test("m.15 predicates nested within the limit are answered")
    func deep() throws {
        #expect(try count(nested(700)) == 1)
        let chain = (0..<700).reduce(NSPredicate(format: "age == 5")) { part, number in
            NSCompoundPredicate(orPredicateWithSubpredicates: [part, NSPredicate(format: "age > %d", 100 + number)])
        }
        #expect(try count(chain) == 1)
        let author = try #require(try context.all("Author").first { $0.number("age") == 5 })
        #expect(nested(700).evaluate(with: author))
    }

    @Test("m.15 AND and OR by turns are answered to 140 levels, and deeper are an error that says so")
    func alternating() throws {
        func predicate(_ depth: Int) -> NSPredicate {
            (0..<depth).reduce(NSPredicate(format: "age == 5")) { part, number in
                let others = [NSPredicate(format: "age > %d", number % 2 == 0 ? -number : 100 + number), part]
                return NSCompoundPredicate(type: number % 2 == 0 ? .and : .or, subpredicates: others)
            }
        }
        for depth in [10, 40, 140] { #expect(try count(predicate(depth)) == 1, "\(depth) levels") }
        let error = #expect(throws: NSError.self) { try count(predicate(700)) }
        #expect(error?.localizedDescription.contains("nested too deep") == true)
    }

    @Test("m.15 predicates nested deeper than the limit are an error, printed, compared and released")
    func tooDeep() throws {
        let predicate = nested(100_000)
        let error = #expect(throws: NSError.self) { try count(predicate) }
        #expect(error?.localizedDescription.contains("levels deep") == true)
        #expect(throws: (any Error).self) { try predicate.holds(for: nil) }
        #expect(predicate.predicateFormat.count < 100)
        #expect(predicate != nested(100_000) && predicate == predicate)
        #expect(Set([predicate]).contains(predicate))
    }

    @Test("m.15 a key path of 10,000 steps is parsed and evaluated, and in a fetch an error")
    func keyPath() throws {
        let path = Array(repeating: "self", count: 10_000).joined(separator: ".")
        let predicate = NSPredicate(format: "SELF.\(path).age == 5")
        let author = try #require(try context.all("Author").first { $0.number("age") == 5 })
        #expect(predicate.evaluate(with: author))
        let error = #expect(throws: NSError.self) { try count(predicate) }
        #expect((error?.localizedDescription.count ?? .max) < 1_000)
    }

    @Test("m.15 MATCHES with an expression that never ends is an error, in the store and in memory")
    func catastrophic() throws {
        let predicate = NSPredicate(format: "name MATCHES '(a+)+b'")
        let error = #expect(throws: (any Error).self) { try count(predicate) }
        #expect(String(describing: error).contains("(a+)+b"))
        let author = try #require(try context.all("Author").first { $0.number("age") == 5 })
        #expect(throws: (any Error).self) { try predicate.holds(for: author) }
        author.setValue(6, forKey: "age")
        #expect(throws: (any Error).self) { try count(predicate) }
    }

    @Test("m.15 MATCHES on a text that is too long for the expression is an error, not false")
    func long() throws {
        let text = String(repeating: "ab", count: 3_000_000)
        #expect(throws: (any Error).self) { try NSPredicate(format: "SELF MATCHES '(a|b)*'").holds(for: text) }
        #expect(try NSPredicate(format: "SELF MATCHES '(a|b)*'").holds(for: "abab"))
    }
}
