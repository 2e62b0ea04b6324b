import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation
import TestSupport

/// Random predicates, built from parts: every kind of node, odd names and odd constants among them.
struct RandomPredicate {
    var generator: SeededGenerator

    mutating func predicate(depth: Int) -> NSPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return NSPredicate(value: Bool.random(using: &generator))
        case 1...4: return comparison(depth: depth)
        case 5:
            return NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth: depth - 1))
        default:
            let count = Int.random(in: 2...3, using: &generator)
            let parts = (0..<count).map { _ in predicate(depth: depth - 1) }
            return NSCompoundPredicate(
                type: Bool.random(using: &generator) ? .and : .or, subpredicates: parts)
        }
    }

    private mutating func comparison(depth: Int) -> NSPredicate {
        let types: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
            .matches, .like, .beginsWith, .endsWith, .in, .contains, .between,
        ]
        let modifiers: [NSComparisonPredicate.Modifier] = [.direct, .direct, .any, .all]
        return NSComparisonPredicate(
            leftExpression: expression(depth: depth), rightExpression: expression(depth: depth),
            modifier: pick(modifiers), type: pick(types),
            options: .init(rawValue: UInt.random(in: 0..<16, using: &generator)))
    }

    mutating func expression(depth: Int) -> NSExpression {
        guard depth > 0 else { return leaf() }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return NSExpression(forAggregate: expressions(0...3, depth))
        case 1: return NSExpression(forUnionSet: below(depth), with: below(depth))
        case 2: return NSExpression(forMinusSet: below(depth), with: below(depth))
        case 3:
            return NSExpression(
                forSubquery: below(depth), usingIteratorVariable: "x", predicate: predicate(depth: depth - 1))
        case 4:
            return NSExpression(
                forConditional: predicate(depth: depth - 1), trueExpression: below(depth),
                falseExpression: below(depth))
        case 5:
            return NSExpression(
                forFunction: below(depth), selectorName: "uppercase", arguments: expressions(0...2, depth))
        case 6...8: return function(depth)
        default: return leaf()
        }
    }

    private mutating func function(_ depth: Int) -> NSExpression {
        let function = pick(PredicateFunction.allCases.filter { $0 != .cast })
        let bounds = function.argumentCount
        let count = min(bounds.upperBound, max(bounds.lowerBound, 1))
        return NSExpression(
            forFunction: function.rawValue, arguments: expressions(count...count, depth))
    }

    private mutating func leaf() -> NSExpression {
        let keys = [
            "name", "a.b.c", "size", "a.in.first", "two words", "$odd", "a..b", "", "名前", "SELF.x",
            "c.@count",
        ]
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return .expressionForEvaluatedObject()
        case 1: return NSExpression(forVariable: pick(["x", "name_1", "名"]))
        case 2, 3: return NSExpression(forKeyPath: pick(keys))
        default: return NSExpression(forConstantValue: constant())
        }
    }

    private mutating func constant() -> Any? {
        let number = Int.random(in: -3...3, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: return nil
        case 1: return number
        case 2: return Double(number) * 1.1e10
        case 3: return pick([Int.min, Int.max, 0])
        case 4: return UInt64.max
        case 5: return Decimal(string: "12345678901234567890.123456789")
        case 6: return Date(timeIntervalSinceReferenceDate: Double(number) * 1_000_000.25)
        case 7: return UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        case 8: return URL(string: "https://example.org/a?b=c")
        case 9: return Data([0, 1, 255])
        case 10: return [1, "two", 3.5] as [Any]
        case 11: return NSSet(array: [1, "two"])
        case 12: return Bool.random(using: &generator)
        default:
            return pick([
                "", "it's", "say \"x\"", "back\\slash", "line\nbreak", "🍁é\u{301}", "\0", "%@ %K", "NULL",
            ])
        }
    }

    private mutating func below(_ depth: Int) -> NSExpression { expression(depth: depth - 1) }

    private mutating func expressions(_ count: ClosedRange<Int>, _ depth: Int) -> [NSExpression] {
        (0..<Int.random(in: count, using: &generator)).map { _ in below(depth) }
    }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }
}
