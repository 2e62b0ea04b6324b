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
        let left = compared(predicate.leftExpression)
        let right = compared(predicate.rightExpression)
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
        guard let first = parts.first else { return empty }
        // One part needs no joint, and so no parentheses.
        if parts.count == 1 { return first.predicateFormat }
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
        case .tokenMatches: "TOKENMATCHES"
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

/// How predicates and expressions are archived: as the format that they print, under one key.
///
/// The archive holds text, so decoding runs no code but the parser's. Apple's archives have another layout.
enum FormatCoding {
    private static let key = "NSPredicateFormat"

    /// Traps on a predicate that cannot be parsed back from its format.
    static func encode(_ predicate: NSPredicate, with coder: NSCoder) {
        encode(predicate.predicateFormat, with: coder) { try NSPredicate(validatingFormat: $0).isEqual(predicate) }
    }

    /// Traps on an expression that cannot be parsed back from its format.
    static func encode(_ expression: NSExpression, with coder: NSCoder) {
        encode(expression.description, with: coder) { try NSExpression(validatingFormat: $0).isEqual(expression) }
    }

    static func predicate(_ coder: NSCoder) -> NSPredicate? {
        format(coder).flatMap { try? NSPredicate(validatingFormat: $0) }
    }

    static func expression(_ coder: NSCoder) -> NSExpression? {
        format(coder).flatMap { try? NSExpression(validatingFormat: $0) }
    }

    private static func encode(_ format: String, with coder: NSCoder, _ comesBack: (String) throws -> Bool) {
        guard (try? comesBack(format)) == true else {
            misuse(
                "\(format) cannot be encoded: a closure, or a constant that is no string, number, date, UUID, URL, "
                    + "data or collection of these, has no text; put a variable in its place")
        }
        coder.encode(format as NSString, forKey: key)
    }

    private static func format(_ coder: NSCoder) -> String? {
        coder.decodeObject(of: NSString.self, forKey: key) as String?
    }
}
