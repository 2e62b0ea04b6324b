import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation

/// A predicate as the JSON of a map style, which a public suite expects of Apple's tree: it shows each part and the
/// order of operands.
///
/// https://maplibre.org/maplibre-style-spec/expressions/
enum MapExpression {
    struct Unknown: Error {
        let description: String
    }

    static func json(of predicate: NSPredicate) throws -> [Any] {
        switch predicate {
        case let compound as NSCompoundPredicate:
            let parts = try compound.subpredicates.compactMap { $0 as? NSPredicate }.map(json)
            switch compound.compoundPredicateType {
            case .not: return ["!", parts[0]]
            case .and: return ["all"] + parts
            case .or: return ["any"] + parts
            }
        case let comparison as NSComparisonPredicate: return try json(of: comparison)
        default: throw Unknown(description: predicate.predicateFormat)
        }
    }

    private static func json(of comparison: NSComparisonPredicate) throws -> [Any] {
        let left = try json(of: comparison.leftExpression)
        let right = try json(of: comparison.rightExpression)
        let type = comparison.predicateOperatorType
        switch (comparison.comparisonPredicateModifier, type) {
        case (.any, .equalTo): return ["in", right, left]
        case (.all, .notEqualTo): return ["!", ["in", right, left]]
        case (.direct, .in): return ["in", left, right]
        case (.direct, .contains): return ["in", right, left]
        case (.direct, .between):
            guard let literal = right as? [Any], let bounds = literal.last as? [Any] else {
                throw Unknown(description: comparison.predicateFormat)
            }
            return ["all", ["<=", bounds[0], left], ["<=", left, bounds[1]]]
        default:
            guard comparison.comparisonPredicateModifier == .direct, let sign = signs[type] else {
                throw Unknown(description: comparison.predicateFormat)
            }
            return [sign, left, right] + collator(comparison.options)
        }
    }

    private static let signs: [NSComparisonPredicate.Operator: String] = [
        .equalTo: "==", .notEqualTo: "!=", .lessThan: "<", .lessThanOrEqualTo: "<=",
        .greaterThan: ">", .greaterThanOrEqualTo: ">=",
    ]

    private static func collator(_ options: NSComparisonPredicate.Options) -> [Any] {
        guard !options.isEmpty else { return [] }
        return [
            [
                "collator",
                [
                    "case-sensitive": !options.contains(.caseInsensitive),
                    "diacritic-sensitive": !options.contains(.diacriticInsensitive),
                ],
            ] as [Any]
        ]
    }

    private static func json(of expression: NSExpression) throws -> Any {
        switch expression.expressionType {
        case .keyPath: return ["get", expression.keyPath]
        case .variable: return expression.variable == "geometryType" ? ["geometry-type"] : ["id"]
        case .constantValue: return expression.constantValue ?? NSNull()
        case .aggregate:
            let members = (expression.collection as? [NSExpression] ?? []).map { $0.constantValue ?? NSNull() }
            return ["literal", members]
        case .function where expression.function == "castObject:toType:":
            let arguments = expression.arguments ?? []
            let isNumber = arguments[1].constantValue as? String == "NSNumber"
            return [isNumber ? "to-number" : "to-string", try json(of: arguments[0])]
        default: throw Unknown(description: expression.description)
        }
    }
}
