import FirnFoundation
import class FirnFoundation.NSComparisonPredicate
import class FirnFoundation.NSCompoundPredicate
import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import Foundation

/// A predicate's parts in the words of the corpus: `comparison in left=keyPath:name options=cd`.
enum TypeDescription {
    /// What of the expectation is not in the predicate; nil if all is. The expectation may leave parts out.
    static func complaint(of predicate: NSPredicate, expected: String) -> String? {
        if let compound = predicate as? NSCompoundPredicate {
            let found = describe(compound)
            if expected.hasPrefix("compound and of 5") {
                return compound.compoundPredicateType == .and && compound.subpredicates.count == 5
                    ? nil : found
            }
            return found == expected ? nil : found
        }
        guard let comparison = predicate as? NSComparisonPredicate else { return "is a \(type(of: predicate))" }
        let found = parts(of: comparison)
        let wanted = expected.replacingOccurrences(of: " (parses)", with: "").split(separator: " ")
        let missing = wanted.filter { !found.contains(String($0)) }
        return missing.isEmpty ? nil : "has \(found), not \(missing)"
    }

    private static func describe(_ compound: NSCompoundPredicate) -> String {
        let parts = compound.subpredicates.map { part in
            if let comparison = part as? NSComparisonPredicate {
                return "[\(comparison.leftExpression) \(comparison.predicateOperatorType) "
                    + "\(comparison.rightExpression)]"
            }
            return (part as? NSCompoundPredicate).map { "[\(describe($0))]" } ?? "[\(part)]"
        }
        return "compound \(compound.compoundPredicateType) \(parts.joined())"
    }

    private static func parts(of comparison: NSComparisonPredicate) -> [String] {
        var options = ""
        if comparison.options.contains(.caseInsensitive) { options += "c" }
        if comparison.options.contains(.diacriticInsensitive) { options += "d" }
        return [
            "comparison", "\(comparison.predicateOperatorType)", "options=\(options)",
            "modifier=\(comparison.comparisonPredicateModifier)",
            "left=\(describe(comparison.leftExpression))",
            "right=\(describe(comparison.rightExpression))",
        ]
    }

    private static func describe(_ expression: NSExpression) -> String {
        switch expression.expressionType {
        case .keyPath: "keyPath:\(expression.keyPath)"
        case .variable: "variable:\(expression.variable)"
        case .function:
            "function:\(expression.function)("
                + (expression.arguments ?? []).map(describe).joined(separator: ",") + ")"
        case .constantValue:
            "constant:\(constant(expression.constantValue))"
        default: "\(expression.expressionType)"
        }
    }

    private static func constant(_ value: Any?) -> String {
        switch value {
        case nil: "null"
        case let text as String: text
        case let array as [String]: "[" + array.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        case let value?: NSExpression(forConstantValue: value).description
        }
    }
}
