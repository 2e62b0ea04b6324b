import FirnFoundation
import class FirnFoundation.NSExpression
import Foundation
import Testing

@Suite("Values of expressions")
struct ExpressionValueTests {
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        let format: String
        let value: Any?

        init(_ format: String, _ value: Any?) {
            self.format = format
            self.value = value
        }

        var testDescription: String { format }
    }

    nonisolated(unsafe) static let object: [String: Any] = [
        "n": 7, "x": 2.5, "d": Decimal(string: "0.1") ?? 0, "name": "Ångström", "none": NSNull(),
        "list": [3, 1, 2, 3], "empty": [Int](), "date": Date(timeIntervalSinceReferenceDate: 100),
        "people": [["age": 30, "name": "a"], ["age": 20, "name": "b"]], "place": ["key": "value"],
        "set": NSSet(array: [1, 2]),
    ]

    static let rows = [
        Row("1 + 2 * 3", 7), Row("(1 + 2) * 3", 9), Row("2 ** 3 ** 2", 512), Row("10 - 4 - 3", 3),
        Row("5 / 2", 2), Row("5 / 2.0", 2.5), Row("-7 / 2", -3), Row("n / 0", nil), Row("x / 0", nil),
        Row("modulus:by:(n, 4)", 3), Row("n + none", nil), Row("-n", -7), Row("-(-n)", 7), Row("~0", -1),
        Row("9223372036854775807 + 1", 9_223_372_036_854_775_808.0),
        Row("1 << 3 | 1", 9), Row("6 & 3 ^ 1", 3), Row("1 << 64", 0), Row("~n & 15", 8),
        Row("sqrt:(16)", 4.0), Row("abs:(-3)", 3), Row("floor:(-2.5)", -3.0), Row("ceiling:(x)", 3.0),
        Row("trunc:(-2.5)", -2.0), Row("exp:(0)", 1.0), Row("ln:(1)", 0.0), Row("log:(1000)", 3.0),
        Row("sum:(list)", 9), Row("count:(list)", 4), Row("min:(list)", 1), Row("max:(list)", 3),
        Row("average:(list)", 2.25), Row("median:(list)", 2.5), Row("mode:(list)", [3]),
        Row("stddev:({2, 4, 4, 4, 5, 5, 7, 9})", 2.0), Row("sum:(empty)", 0), Row("max:(empty)", nil),
        Row("count:(none)", 0), Row("sum:(1, 2, 3)", 6), Row("median:(none)", nil),
        Row("uppercase:(name)", "ÅNGSTRÖM"), Row("lowercase:(name)", "ångström"),
        Row("canonical:(name)", "angstrom"), Row("length:('🍁')", 2), Row("name.length", 8),
        Row("uppercase:(none)", nil), Row("list[0]", 3), Row("list[FIRST]", 3), Row("list[LAST]", 3),
        Row("list[SIZE]", 4), Row("list[9]", nil), Row("empty[FIRST]", nil), Row("place['key']", "value"),
        Row("people.age", [30, 20]), Row("people.@avg.age", 25), Row("people.@max.age", 30),
        Row("people[0].name", "a"), Row("SUBQUERY(people, $p, $p.age > 25).name", ["a"]),
        Row("SUBQUERY(none, $p, $p.age > 25).@count", 0), Row("SUBQUERY(list, $i, $i > n - 5)", [3, 3]),
        Row("TERNARY(n > 5, 'big', 'small')", "big"), Row("CAST('12', 'NSNumber')", 12),
        Row("CAST(n, 'NSString')", "7"), Row("CAST(date, 'NSNumber')", 100.0),
        Row("CAST(100, 'NSDate')", Date(timeIntervalSinceReferenceDate: 100)),
        Row("date + 5", Date(timeIntervalSinceReferenceDate: 105)), Row("(date + 5) - date", 5.0),
        Row("set UNION {3}", NSSet(array: [1, 2, 3])), Row("list INTERSECT {3, 4}", NSSet(array: [3])),
        Row("set MINUS {1}", NSSet(array: [2])), Row("noindex:(n)", 7),
        Row("FUNCTION('a/b', 'lastPathComponent')", "b"), Row("FUNCTION(none, 'uppercase')", nil),
        Row("FUNCTION(place, 'valueForKey:', 'key')", "value"), Row("{n, none}", [7, NSNull()] as [Any]),
        Row("SELF.n", 7), Row("#n", 7), Row("0x1F + 0b11 + 0o17", 49), Row("'a\\'b\\\\c\\u00e9'", "a'b\\cé"),
    ]

    @Test("An expression has the value of the table", arguments: rows)
    func value(_ row: Row) throws {
        let found = try NSExpression(validatingFormat: row.format).value(for: Self.object)
        #expect(
            ValueComparison.equal(found, row.value), "is \(found ?? "nil"), not \(row.value ?? "nil")")
    }

    @Test("Decimals stay exact")
    func decimals() throws {
        let sum = try NSExpression(validatingFormat: "d + d + d").value(for: Self.object)
        #expect(sum as? Decimal == Decimal(string: "0.3"))
    }

    @Test("Sets of decimals, which cannot be hashed, are united and asked for keys all the same")
    func decimalSets() throws {
        let amount = NSDecimalNumber(string: "1.5")
        let object = ["set": NSSet(array: [["amount": amount]]), "list": [amount, 2]] as [String: Any]
        let united = try NSExpression(validatingFormat: "list UNION set.amount").value(for: object)
        #expect(collectionMembers(of: united)?.count == 2)
        let rest = try NSExpression(validatingFormat: "list MINUS set.amount").value(for: object)
        #expect(ValueComparison.equal(collectionMembers(of: rest), [2]))
    }

    @Test("Whole numbers stay whole")
    func wholeNumbers() throws {
        let product = try NSExpression(validatingFormat: "n * 2").value(for: Self.object)
        #expect(product is Int)
    }

    @Test(
        "What has no value is an error",
        arguments: [
            "'a' + 1", "name * 2", "list[none]", "set[0]", "n[0]", "$unknown + 1", "ANYKEY", "uppercase:(n)",
            "n UNION list", "SUBQUERY(n, $i, $i > 1)", "CAST('x', 'NSNumber')", "CAST(n, 'NSWindow')",
            "FUNCTION(name, 'fly:', 1)", "name.feathers", "median:({'a'})", "randomn:(0)",
            "place.$n",
        ])
    func errors(_ format: String) throws {
        let expression = try NSExpression(validatingFormat: format)
        #expect(throws: (any Error).self) { try expression.value(for: Self.object) }
    }

    @Test("A block is given the object, the arguments' values and the variables")
    func block() throws {
        let expression = NSExpression(
            block: { object, arguments, context in
                "\(object ?? "nil") \(arguments) \(context?["v"] ?? "nil")"
            }, arguments: [NSExpression(format: "1 + 1")])
        let value = try expression.value(for: "object", substitutionVariables: ["v": 5])
        #expect(value as? String == "object [2] 5")
    }

    @Test("The context's values stand for variables")
    func context() {
        let value = NSExpression(format: "$a * 2").expressionValue(with: nil, context: ["a": 4])
        #expect(value as? Int == 8)
    }
}
