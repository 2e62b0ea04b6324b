import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import Testing

@Suite("The tree of expressions")
struct ExpressionTreeTests {
    @Test(
        "A format's expression has the type that its writing says",
        arguments: [
            ("1", NSExpression.ExpressionType.constantValue), ("'text'", .constantValue), ("nil", .constantValue),
            ("SELF", .evaluatedObject), ("$x", .variable), ("a.b.@count", .keyPath), ("SELF.a", .keyPath),
            ("$x.a", .keyPath), ("a + 1", .function), ("a[0]", .function), ("FUNCTION(a, 'length')", .function),
            ("CAST(a, 'NSDate')", .function), ("a UNION b", .unionSet), ("a INTERSECT b", .intersectSet),
            ("a MINUS b", .minusSet), ("SUBQUERY(a, $x, $x == 1)", .subquery), ("{1, a}", .aggregate),
            ("ANYKEY", .anyKey), ("TERNARY(a == 1, 2, 3)", .conditional),
        ])
    func types(_ format: String, _ type: NSExpression.ExpressionType) throws {
        #expect(try NSExpression(validatingFormat: format).expressionType == type)
    }

    @Test("A key path from SELF is one key path, from a variable one with an operand")
    func operands() {
        #expect(NSExpression(format: "SELF.a.b").keyPath == "a.b")
        #expect(NSExpression(format: "SELF.a.b") == NSExpression(forKeyPath: "a.b"))
        #expect(NSExpression(format: "$x.a").keyPath == "a")
        #expect(NSExpression(format: "$x.a").operand.variable == "x")
        #expect(NSExpression(forKeyPath: "a").operand.expressionType == .evaluatedObject)
    }

    @Test("A function's name is Apple's, whatever its writing")
    func functionNames() {
        let names = [
            "a + 1": "add:to:", "a - 1": "from:subtract:", "a * 2": "multiply:by:", "a / 2": "divide:by:",
            "a ** 2": "raise:toPower:", "a & 1": "bitwiseAnd:with:", "a << 1": "leftshift:by:",
            "~a": "onesComplement:", "a[FIRST]": "objectFrom:withIndex:",
            "CAST(a, 'NSDate')": "castObject:toType:", "sum(a)": "sum:", "now()": "now",
        ]
        for (format, name) in names { #expect(NSExpression(format: format).function == name) }
    }

    @Test("A subquery gives its collection, variable and predicate")
    func subquery() {
        let expression = NSExpression(format: "SUBQUERY(a.b, $x, $x.c > 3)")
        #expect((expression.collection as? NSExpression)?.keyPath == "a.b")
        #expect(expression.variable == "x")
        #expect(expression.predicate.predicateFormat == "$x.c > 3")
    }

    @Test("A conditional gives its predicate and both expressions")
    func conditional() {
        let expression = NSExpression(format: "TERNARY(a == 1, 2, 3)")
        #expect(expression.predicate.predicateFormat == "a == 1")
        #expect(expression.true.constantValue as? Int == 2)
        #expect(expression.false.constantValue as? Int == 3)
    }

    @Test("Set operators give both sides")
    func sides() {
        let expression = NSExpression(format: "a MINUS b")
        #expect(expression.left.keyPath == "a")
        #expect(expression.right.keyPath == "b")
    }

    @Test("A list of constants equals the array of them")
    func aggregates() {
        #expect(NSExpression(format: "{1, 'a'}") == NSExpression(forConstantValue: [1, "a"] as [Any]))
        #expect(NSExpression(format: "{1, 'a'}") != NSExpression(forConstantValue: [1, "b"] as [Any]))
        #expect(NSExpression(format: "{1, a}") != NSExpression(forConstantValue: [1, "a"] as [Any]))
    }

    @Test("A date is printed as a CAST, which parses back to the date")
    func dates() {
        let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        let printed = NSExpression(forConstantValue: date).description
        #expect(printed == "CAST(0.30000000000000004, \"NSDate\")")
        #expect(NSExpression(format: printed).constantValue as? Date == date)
    }

    @Test("A Swift key path of stored properties is a key path")
    func swiftKeyPath() {
        final class Person { var name = ""; var friend: Person? }
        #expect(NSExpression(forKeyPath: \Person.friend?.name).keyPath == "friend.name")
    }

    @Test("What does not change is copied as itself")
    func copying() {
        let predicate = NSPredicate(format: "a == 1")
        #expect(predicate.copy() as? NSPredicate === predicate)
        let expression = NSExpression(format: "a")
        #expect(expression.copy() as? NSExpression === expression)
    }

    @Test("Substitution of what a predicate does not hold gives the same predicate")
    func unchanged() {
        let predicate = NSPredicate(format: "a == $b AND c == 1")
        #expect(predicate.withSubstitutionVariables(["x": 1]) === predicate)
    }

    @Test("Substitution reaches lists, functions, conditionals and key paths")
    func substitution() {
        let predicate = NSPredicate(
            format: "{$a, 1} CONTAINS sum:($b.c) AND TERNARY($a == 1, $a, x.$k) == $n.d[$a]")
        let substituted = predicate.withSubstitutionVariables([
            "a": 5, "b": NSExpression(forKeyPath: "list"), "k": "key", "n": NSExpression(forKeyPath: "m"),
        ])
        #expect(
            substituted.predicateFormat
                == "{5, 1} CONTAINS sum:(list.c) AND TERNARY(5 == 1, 5, x.key) == m.d[5]")
    }

    @Test("Predicates differ by operator, modifier, options and operands")
    func equality() {
        let formats = ["a == 1", "a != 1", "ANY a == 1", "ALL a == 1", "a ==[c] 1", "b == 1", "a == 2", "NOT a == 1"]
        for (i, first) in formats.enumerated() {
            for (j, second) in formats.enumerated() {
                #expect((NSPredicate(format: first) == NSPredicate(format: second)) == (i == j))
            }
        }
    }
}
