import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

/// Foundation's `#Predicate` becomes a tree of the predicate language, or an error that says why not.
@Suite("A #Predicate converts to an NSPredicate")
struct PredicateConversionTests {
    private final class Person: @unchecked Sendable {
        let name = "Anna"
        let nickname: String? = nil
        let age = 30
        let weight = 60.5
        let isMember = true
        let scores = [1, 2, 3]
        let marks = ["a": 1]
        let friend: Person? = nil
        var initials: String { String(name.prefix(1)) }
    }

    private let name = NSExpression(forKeyPath: "name")
    private let nickname = NSExpression(forKeyPath: "nickname")
    private let age = NSExpression(forKeyPath: "age")
    private let scores = NSExpression(forKeyPath: "scores")
    private let none = NSExpression(forConstantValue: nil)

    private func constant(_ value: Any?) -> NSExpression { NSExpression(forConstantValue: value) }

    private func comparison(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression
    ) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: .direct, type: type)
    }

    @Test("a comparison of a stored property keeps its operator")
    func comparisons() throws {
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.age == 3 })
                == comparison(age, .equalTo, constant(3)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.age != 3 })
                == comparison(age, .notEqualTo, constant(3)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.age <= 3 })
                == comparison(age, .lessThanOrEqualTo, constant(3)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.age > 3 })
                == comparison(age, .greaterThan, constant(3)))
    }

    @Test("the instance is of the class that the condition describes")
    func classes() throws {
        let comparison = try NSPredicate(converting: #Predicate<Person> { $0.age == 3 })
        let compound = try NSPredicate(converting: #Predicate<Person> { !($0.age == 3) })
        #expect(comparison is NSComparisonPredicate)
        #expect(compound is NSCompoundPredicate)
    }

    @Test("AND, OR and NOT nest as written")
    func logic() throws {
        let predicate = #Predicate<Person> { $0.age > 1 && ($0.name == "a" || !($0.age < 9)) }
        let expected = NSCompoundPredicate(andPredicateWithSubpredicates: [
            comparison(age, .greaterThan, constant(1)),
            NSCompoundPredicate(orPredicateWithSubpredicates: [
                comparison(name, .equalTo, constant("a")),
                NSCompoundPredicate(
                    notPredicateWithSubpredicate: comparison(age, .lessThan, constant(9))),
            ]),
        ])
        #expect(try NSPredicate(converting: predicate) == expected)
    }

    @Test("a captured value and nil are constants")
    func constants() throws {
        let wanted: String? = "a"
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.nickname == nil })
                == comparison(nickname, .equalTo, none))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.nickname == wanted })
                == comparison(nickname, .equalTo, constant("a")))
    }

    @Test("a Boolean property is compared with true")
    func booleans() throws {
        let expected = comparison(NSExpression(forKeyPath: "isMember"), .equalTo, constant(true))
        #expect(try NSPredicate(converting: #Predicate<Person> { $0.isMember }) == expected)
    }

    @Test("a condition without an object is a constant predicate")
    func constantPredicate() throws {
        #expect(
            try NSPredicate(converting: #Predicate<Person> { _ in false })
                == NSPredicate(value: false))
    }

    @Test("the count of a text is its length, of a collection @count")
    func counts() throws {
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.name.count == 2 })
                == comparison(NSExpression(forKeyPath: "name.length"), .equalTo, constant(2)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.scores.isEmpty })
                == comparison(NSExpression(forKeyPath: "scores.@count"), .equalTo, constant(0)))
    }

    @Test("the parts of texts have their operators")
    func texts() throws {
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.name.contains("x") })
                == comparison(name, .contains, constant("x")))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.name.starts(with: "x") })
                == comparison(name, .beginsWith, constant("x")))
    }

    @Test("localizedStandardContains is CONTAINS[cd], the result of caseInsensitiveCompare an operator with [c]")
    func localizedTexts() throws {
        let (order, other) = (ComparisonResult.orderedAscending, ComparisonResult.orderedSame)
        let contains = try NSPredicate(converting: #Predicate<Person> { $0.name.localizedStandardContains("x") })
        let before = try NSPredicate(converting: #Predicate<Person> { $0.name.caseInsensitiveCompare("x") == order })
        let differs = try NSPredicate(converting: #Predicate<Person> { $0.name.caseInsensitiveCompare("x") != other })
        #expect(contains == NSPredicate(format: "name CONTAINS[cd] 'x'"))
        #expect(before == NSPredicate(format: "name <[c] 'x'"))
        #expect(differs == NSPredicate(format: "NOT name ==[c] 'x'"))
    }

    @Test("arithmetic becomes functions")
    func arithmetic() throws {
        let product = NSExpression(
            forFunction: "multiply:by:",
            arguments: [
                NSExpression(forFunction: "add:to:", arguments: [age, constant(2)]), constant(3),
            ])
        #expect(
            try NSPredicate(converting: #Predicate<Person> { ($0.age + 2) * 3 == 9 })
                == comparison(product, .equalTo, constant(9)))
    }

    @Test("contains(where:) counts what a subquery finds, allSatisfy what it misses")
    func subqueries() throws {
        let element = NSExpression(forVariable: "_local_1")
        let isTwo = comparison(element, .equalTo, constant(2))
        func count(_ test: NSPredicate) -> NSExpression {
            let subquery = NSExpression(
                forSubquery: scores, usingIteratorVariable: "_local_1", predicate: test)
            return NSExpression(node: subquery.appending(key: "@count"))
        }
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.scores.contains { $0 == 2 } })
                == comparison(count(isTwo), .notEqualTo, constant(0)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.scores.allSatisfy { $0 == 2 } })
                == comparison(
                    count(NSCompoundPredicate(notPredicateWithSubpredicate: isTwo)), .equalTo,
                    constant(0)))
    }

    @Test("a closed range is BETWEEN, a half-open one two comparisons")
    func ranges() throws {
        #expect(
            try NSPredicate(converting: #Predicate<Person> { (1...3).contains($0.age) })
                == comparison(
                    age, .between, NSExpression(forAggregate: [constant(1), constant(3)])))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { (1..<3).contains($0.age) })
                == NSCompoundPredicate(andPredicateWithSubpredicates: [
                    comparison(age, .greaterThanOrEqualTo, constant(1)),
                    comparison(age, .lessThan, constant(3)),
                ]))
    }

    @Test("?? becomes a conditional expression, optional chaining a key path, or a conditional expression of a count")
    func optionals() throws {
        let isThere = comparison(nickname, .notEqualTo, none)
        let fallback = NSExpression(
            forConditional: isThere, trueExpression: nickname, falseExpression: constant("x"))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { ($0.nickname ?? "x") == "y" })
                == comparison(fallback, .equalTo, constant("y")))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.nickname?.count == 1 })
                == comparison(NSExpression(forKeyPath: "nickname.length"), .equalTo, constant(1)))
        // A key path through nil is nil, but the count of no collection is 0.
        let count = NSExpression(
            forConditional: comparison(NSExpression(forKeyPath: "friend"), .notEqualTo, none),
            trueExpression: NSExpression(forKeyPath: "friend.scores.@count"), falseExpression: none)
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.friend?.scores.count == 1 })
                == comparison(count, .equalTo, constant(1)))
    }

    @Test("a subscript is an index")
    func subscripts() throws {
        let first = NSExpression(
            forFunction: "objectFrom:withIndex:", arguments: [scores, constant(0)])
        let mark = NSExpression(
            forFunction: "objectFrom:withIndex:",
            arguments: [NSExpression(forKeyPath: "marks"), constant("a")])
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.scores[0] == 1 })
                == comparison(first, .equalTo, constant(1)))
        #expect(
            try NSPredicate(converting: #Predicate<Person> { $0.marks["a"] == 1 })
                == comparison(mark, .equalTo, constant(1)))
    }

    @Test("a #Expression converts to an NSExpression")
    func expressions() throws {
        let sum = #Expression<Person, Int> { $0.age + 1 }
        #expect(
            try NSExpression(converting: sum)
                == NSExpression(forFunction: "add:to:", arguments: [age, constant(1)]))
    }

    @Test("a computed property has no name, and the error says so")
    func computedProperties() throws {
        let predicate = #Predicate<Person> { $0.initials == "A" }
        let error = #expect(throws: PredicateConversionError.self) {
            try NSPredicate(converting: predicate)
        }
        #expect(error?.message.contains("has no name in key-value coding") == true)
        #expect(NSPredicate(predicate) == nil)
    }

    @Test("a cast has no equal, and the error names the node")
    func casts() throws {
        let predicate = #Predicate<Any> { ($0 as? Int) == 1 }
        let error = #expect(throws: PredicateConversionError.self) {
            try NSPredicate(converting: predicate)
        }
        #expect(error?.message.contains("ConditionalCast") == true)
    }
}
