import FirnFoundation
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

/// A format is parsed when it is used first, and put together from a template later.
@Suite("A format that is used again")
struct FormatTemplateTests {
    struct Use: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        let arguments: [Any]
        var testDescription: String { "\(format) \(arguments)" }

        init(_ format: String, _ arguments: Any...) {
            self.format = format
            self.arguments = arguments
        }
    }

    static let uses = [
        Use("a == %@", "x"), Use("a == %@", NSNull()), Use("a == %@", Optional<String>.none as Any),
        Use("a == %ld", 3), Use("a == %d AND b != %@ OR NOT c < %f", 1, "y", 2.5),
        Use("%@ == a", Date(timeIntervalSince1970: 5)),
        Use("ANY a.b == %@", UUID()), Use("NONE a == %@", "n"), Use("a BETWEEN %@", [1, 2]), Use("a IN %@", ["x", "y"]),
        Use("a NOT IN %@", [1, 2, 3]), Use("a BEGINSWITH[cd] %@", "é"), Use("a LIKE %@", "x*"),
        Use("a == %2$@ AND b == %1$@", "first", "second"), Use("a == %@ AND b == 3", "x"), Use("a == 3"),
        // No templates: a key path, a predicate, an expression, an argument deep within.
        Use("%K == %@", "a.b", 7), Use("a == 1 AND %@", NSPredicate(format: "b == 2")),
        Use("a == %@", NSExpression(forKeyPath: "b")), Use("a IN {%@, %@}", 1, 2), Use("a + %d > %d", 1, 2),
        Use("SUBQUERY(a, $x, $x.b == %@).@count > %d", "x", 0), Use("a BETWEEN {%d, %d}", 1, 9),
    ]

    @Test("gives the predicate that it gave at first", arguments: uses)
    func same(_ use: Use) throws {
        // A format of its own, which nothing has used before.
        let format = use.format + String(repeating: " ", count: 40)
        let first = try NSPredicate(validatingFormat: format, argumentArray: use.arguments)
        for _ in 2...4 {
            let later = try NSPredicate(validatingFormat: format, argumentArray: use.arguments)
            #expect(later == first)
            #expect(later.predicateFormat == first.predicateFormat)
            #expect(type(of: later) == type(of: first))
        }
    }

    @Test("takes the arguments of each use")
    func arguments() {
        let formats = (1...4).map { NSPredicate(format: "age >= %d AND name == %@", $0, "n\($0)").predicateFormat }
        #expect(formats == (1...4).map { "age >= \($0) AND name == \"n\($0)\"" })
    }

    @Test("may have lengths before a number's conversion, and its letters after it", arguments: [
        "d", "i", "u", "x", "hd", "hhu", "ld", "lu", "lld", "llu", "qd", "zd", "zu", "jd", "td", "D", "U", "O", "05d",
        "lud", "id", "dl", "uld",
    ])
    func conversions(_ conversion: String) {
        for format in ["%\(conversion)", "%\(conversion) AND b == %\(conversion)"] {
            let predicate = try? NSPredicate(validatingFormat: "a == " + format, argumentArray: [7, 7])
            #expect(predicate?.predicateFormat == "a == " + format.replacing("%" + conversion, with: "7"))
        }
    }

    @Test("may get an argument of a kind that it had not before")
    func otherKinds() {
        func predicate(_ argument: Any) -> NSPredicate {
            NSPredicate(format: "kind == %@ AND a == 1", argumentArray: [argument])
        }
        for _ in 1...3 { #expect(predicate("x").predicateFormat == "kind == \"x\" AND a == 1") }
        #expect(predicate(NSExpression(forKeyPath: "b")).predicateFormat == "kind == b AND a == 1")
        #expect(predicate(NSNull()).predicateFormat == "kind == nil AND a == 1")
        #expect(predicate([1]).predicateFormat == "kind == {1} AND a == 1")
    }

    @Test("names the mistake of its arguments each time", arguments: 1...4)
    func mistakes(_ time: Int) throws {
        _ = try NSPredicate(validatingFormat: "wrong == %d", argumentArray: [time])
        let missing = #expect(throws: PredicateFormatError.self) { try NSPredicate(validatingFormat: "wrong == %d") }
        #expect(missing?.code == .missingArgument)
        let unexpected = #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validatingFormat: "wrong == %d", argumentArray: ["text"])
        }
        #expect(unexpected?.code == .unexpectedArgument)
        #expect(unexpected?.offset == 9)
    }

    @Test("is still right when more formats were used than are remembered")
    func many() {
        for number in 0..<1_200 {
            let predicate = NSPredicate(format: "key\(number) == %d", number)
            #expect(predicate.predicateFormat == "key\(number) == \(number)")
        }
        for number in 1...3 {
            #expect(NSPredicate(format: "key1 == %d", number).predicateFormat == "key1 == \(number)")
        }
    }
}
