import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

@Suite("Comparisons")
struct ComparisonTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let format: String
        let holds: Bool

        init(_ format: String, _ holds: Bool) {
            self.format = format
            self.holds = holds
        }

        var testDescription: String { "\(format) is \(holds)" }
    }

    nonisolated(unsafe) static let object: [String: Any] = [
        "n": 7, "x": 7.0, "flag": true, "name": "José", "none": NSNull(), "tags": ["red", "Green"],
        "noTags": [String](), "ages": NSSet(array: [10, 20]), "people": [["age": 30], ["age": 20]],
        "date": Date(timeIntervalSinceReferenceDate: 100), "size": 3,
    ]

    static let rows = [
        Row("n == 7", true), Row("n == x", true), Row("flag == 1", true), Row("flag == TRUE", true),
        Row("n != 7", false), Row("n < 7.5", true), Row("n <= x", true), Row("n > x", false),
        Row("none == nil", true), Row("missing == nil", true), Row("name != nil", true),
        Row("none != 'a'", true), Row("none < 1", false), Row("none > 1", false), Row("none <= nil", true),
        Row("none IN {1, nil}", true), Row("none CONTAINS 'a'", false), Row("none BETWEEN {1, 2}", false),
        Row("name == 'JOSÉ'", false), Row("name ==[c] 'JOSÉ'", true), Row("name ==[cd] 'jose'", true),
        Row("name ==[d] 'Jose'", true), Row("name BEGINSWITH[cd] 'JOS'", true), Row("name ENDSWITH 'é'", true),
        Row("name CONTAINS[d] 'ose'", true), Row("name LIKE 'J*é'", true), Row("name LIKE 'J???'", true),
        Row("name LIKE[cd] 'j?se'", true), Row("name MATCHES 'J.*'", true), Row("name MATCHES 'J'", false),
        Row("name MATCHES[c] 'j.s.'", true), Row("'J' IN name", true), Row("name IN {'José', 'x'}", true),
        Row("name IN[cd] {'jose'}", true), Row("name NOT IN {'José'}", false), Row("n IN {}", false),
        Row("n BETWEEN {7, 8}", true), Row("n BETWEEN {8, 9}", false), Row("name BETWEEN {'A', 'Z'}", true),
        Row("date < CAST(101, 'NSDate')", true), Row("ANY tags == 'red'", true), Row("SOME tags ==[c] 'green'", true),
        Row("ALL tags == 'red'", false), Row("NONE tags == 'blue'", true), Row("ANY noTags == 'red'", false),
        Row("ALL noTags == 'red'", true), Row("NONE noTags == 'red'", true), Row("ANY none == 1", false),
        Row("ALL none == 1", true), Row("ANY people.age > 25", true), Row("ALL people.age > 25", false),
        Row("ANY ages IN {20, 30}", true), Row("people.@count == 2", true), Row("tags CONTAINS 'red'", true),
        Row("tags CONTAINS[c] 'GREEN'", true), Row("{n, name} == {7, 'José'}", true),
        Row("n == 7 AND flag == NO OR size == 3", true), Row("NOT n == 7 AND FALSEPREDICATE", false),
        Row("NOT (n == 7 AND FALSEPREDICATE)", true), Row("!(n == 8) && (((n)) == 7)", true),
        Row("(n + 1) * 2 == 16", true), Row("size == 3 AND #size == 3", true),
        Row("SUBQUERY(people, $p, SUBQUERY(ages, $a, $a < $p.age).@count == 2).@count == 1", true),
        Row("name TOKENMATCHES 'José'", true), Row("name TOKENMATCHES[c] 'jos'", false),
        Row("name TOKENMATCHES[cd] 'jos*'", true), Row("'Walden, or Life' TOKENMATCHES[c] 'life walden'", true),
        Row("'Walden, or Life' TOKENMATCHES[c] '\"life walden\"'", false),
        Row("'Walden, or Life' TOKENMATCHES[c] '\"walden or\"'", true),
        Row("'Walden, or Life' TOKENMATCHES[c] 'walden pond'", false), Row("'a' TOKENMATCHES ''", false),
        Row("none TOKENMATCHES 'a'", false), Row("'O’Brien' TOKENMATCHES[c] 'brien'", true),
        Row("'東京タワー' TOKENMATCHES '京タ'", true), Row("'東京タワー' TOKENMATCHES '東タ'", false),
        Row("name NOT TOKENMATCHES 'x'", true), Row("'ACME-42' TOKENMATCHES[c] 'acme-42'", true),
        Row("name.length == 4", true), Row("SELF.n == 7", true), Row("self.n == 7", true),
        Row("n=7&&x=7", true), Row("not n = 8 or false = true", true),
    ]

    @Test("A comparison holds or not as the table says", arguments: rows)
    func holds(_ row: Row) throws {
        let predicate = try NSPredicate(validatingFormat: row.format)
        #expect(try predicate.holds(for: Self.object) == row.holds)
        #expect(predicate.evaluate(with: Self.object) == row.holds)
    }

    @Test(
        "What cannot be compared is an error",
        arguments: [
            "name < 3", "name LIKE 3", "n BEGINSWITH '7'", "n IN 3", "3 IN name", "ANY n == 7", "n BETWEEN {1}",
            "name MATCHES '('", "date > 3", "n == $unknown",
        ])
    func errors(_ format: String) throws {
        let predicate = try NSPredicate(validatingFormat: format)
        #expect(throws: (any Error).self) { try predicate.holds(for: Self.object) }
    }

    @Test("Swift's ranges are collections and bounds")
    func ranges() {
        #expect(NSPredicate(format: "n IN %@", argumentArray: [1..<8]).evaluate(with: Self.object))
        #expect(NSPredicate(format: "n BETWEEN %@", argumentArray: [1...7]).evaluate(with: Self.object))
        #expect(!NSPredicate(format: "n IN %@", argumentArray: [1..<7]).evaluate(with: Self.object))
        let bounds = NSExpression(forConstantValue: [7, 8].map { NSExpression(forConstantValue: $0) })
        let between = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "n"), rightExpression: bounds, modifier: .direct, type: .between)
        #expect(between.evaluate(with: Self.object))
    }

    @Test("Variables take values when evaluated, and by substitution")
    func variables() {
        let template = NSPredicate(format: "n == $value AND SUBQUERY(ages, $value, $value > 5).@count == 2")
        #expect(template.evaluate(with: Self.object, substitutionVariables: ["value": 7]))
        let substituted = template.withSubstitutionVariables(["value": 7])
        #expect(
            substituted.predicateFormat == "n == 7 AND SUBQUERY(ages, $value, $value > 5).@count == 2")
        #expect(substituted.evaluate(with: Self.object))
    }

    @Test("A closure's predicate takes part in a compound and is given the variables")
    func block() {
        let block = NSPredicate { object, bindings in
            (object as? [String: Any])?["n"] as? Int == bindings?["value"] as? Int
        }
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [block, NSPredicate(value: true)])
        #expect(both.evaluate(with: Self.object, substitutionVariables: ["value": 7]))
        #expect(!both.evaluate(with: Self.object, substitutionVariables: ["value": 8]))
    }

    @Test("Foundation's arrays and sets filter by it")
    func filtering() {
        let predicate = NSPredicate(format: "SELF > %d", 1)
        #expect(([1, 2, 3] as NSArray).filtered(using: predicate) as? [Int] == [2, 3])
        #expect(NSSet(array: [1, 2]).filtered(using: predicate).compactMap { $0 as? Int } == [2])
    }

    @Test("A format is an instance of the class that it describes")
    func classes() {
        #expect(NSPredicate(format: "a == 1") is NSComparisonPredicate)
        #expect(NSPredicate(format: "a == 1 AND b == 2") is NSCompoundPredicate)
        #expect(NSComparisonPredicate(format: "a == %d", 1).rightExpression.constantValue as? Int == 1)
    }

    @Test("A predicate or an expression may be an argument")
    func nestedArguments() {
        let inner = NSPredicate(format: "n == 7")
        let predicate = NSPredicate(
            format: "%@ AND x == %@", inner, NSExpression(format: "n + 0"))
        #expect(predicate.predicateFormat == "n == 7 AND x == n + 0")
        #expect(predicate.evaluate(with: Self.object))
    }

    @Test(
        "A whole number that is compared has no decimal point in the format, one that is computed with keeps it",
        arguments: [
            ("a > 10.0", "a > 10"), ("a == 10.5 OR -2.0 < a", "a == 10.5 OR -2 < a"),
            ("a BETWEEN {1.0, 2.0}", "a BETWEEN {1, 2}"), ("a == 10.0 / 4", "a == 10.0 / 4"),
            ("a > 1000000000000000.0", "a > 1000000000000000"), ("a IN {1.0, b / 2.0}", "a IN {1, b / 2.0}"),
        ])
    func wholeNumbers(_ format: String, _ printed: String) throws {
        let predicate = NSPredicate(format: format)
        #expect(predicate.predicateFormat == printed)
        #expect(NSPredicate(format: printed) == predicate)
        #expect(NSPredicate(format: "a == %@", NSNumber(value: 180.0)).predicateFormat == "a == 180")
        let range = NSPredicate(format: "a BETWEEN %@", [1.0, 2.5] as NSArray)
        #expect(range.predicateFormat == "a BETWEEN {1, 2.5}")
    }

    @Test("A compound of one part is printed as the part")
    func singlePart() {
        let part = NSPredicate(format: "NOT a == 1")
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [part]).predicateFormat == "NOT a == 1")
        let inner = NSPredicate(format: "a == 1 OR b == 2")
        let outer = NSCompoundPredicate(orPredicateWithSubpredicates: [inner])
        #expect(outer.predicateFormat == "a == 1 OR b == 2")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: outer).predicateFormat == "NOT (a == 1 OR b == 2)")
    }

    @Test("Objects, and Swift's values as CVarArg, are arguments of a format")
    func argumentTypes() {
        let date = Date(timeIntervalSinceReferenceDate: 100)
        let predicate = NSPredicate(
            format: "date == %@ AND date == %@ AND n IN %@ AND name == %@ AND flag == %@", date as NSDate,
            date as CVarArg, [7, 8] as CVarArg, "José", NSNumber(value: true))
        #expect(predicate.evaluate(with: Self.object))
    }
}
