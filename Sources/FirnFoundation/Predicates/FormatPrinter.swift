import Foundation

/// Writes predicates and expressions as format strings that parse back to equal ones.
///
/// What has no literal in the language (a managed object, a dictionary, a closure) is written as its description, and
/// does not parse back.
enum FormatPrinter {
    static func string(_ predicate: NSComparisonPredicate) -> String {
        let modifier =
            switch predicate.comparisonPredicateModifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            }
        let left = string(predicate.leftExpression)
        let right = string(predicate.rightExpression)
        let type = predicate.predicateOperatorType
        let sign = predicate.customSelector?.description ?? symbol(type) + letters(predicate.options)
        return "\(modifier)\(left) \(sign) \(right)"
    }

    /// The subpredicates with their joint; an `AND` of nothing is true, an `OR` of nothing false.
    static func string(_ predicate: NSCompoundPredicate) -> String {
        switch predicate.compoundPredicateType {
        case .not:
            let part = predicate.parts[0]
            return part is NSCompoundPredicate
                ? "NOT (\(part.predicateFormat))" : "NOT \(part.predicateFormat)"
        case .and: return joined(predicate.parts, by: " AND ", empty: "TRUEPREDICATE")
        case .or: return joined(predicate.parts, by: " OR ", empty: "FALSEPREDICATE")
        }
    }

    private static func joined(_ parts: [NSPredicate], by joint: String, empty: String) -> String {
        guard !parts.isEmpty else { return empty }
        return parts.map { part in
            part is NSCompoundPredicate ? "(\(part.predicateFormat))" : part.predicateFormat
        }
        .joined(separator: joint)
    }

    private static func symbol(_ type: NSComparisonPredicate.Operator) -> String {
        switch type {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .customSelector: "CUSTOMSELECTOR"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }

    private static func letters(_ options: NSComparisonPredicate.Options) -> String {
        guard !options.isEmpty else { return "" }
        var letters = ""
        if options.contains(.caseInsensitive) { letters += "c" }
        if options.contains(.diacriticInsensitive) { letters += "d" }
        if options.contains(.normalized) { letters += "n" }
        if options.contains(.localeSensitive) { letters += "l" }
        return "[\(letters)]"
    }
}
