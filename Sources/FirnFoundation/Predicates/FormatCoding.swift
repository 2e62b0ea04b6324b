import Foundation

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
