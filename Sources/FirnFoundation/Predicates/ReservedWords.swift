/// The words that a key must escape with `#` in a format: `#size > 3`.
///
/// The parser accepts many of them as keys where the grammar allows nothing else. The printer escapes all of them, so
/// that other implementations can read its output.
///
/// https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/Articles/pSyntax.html
enum ReservedWords {
    static let all: Set<String> = [
        "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES",
        "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO",
        "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE",
        "UNTRUEPREDICATE", "UNION", "INTERSECT", "MINUS", "TERNARY", "FUNCTION", "TOKENMATCHES",
    ]

    /// The words that cannot begin an operand, whatever follows: a key of that name needs its `#`.
    static let operators: Set<String> = [
        "AND", "OR", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "UNION",
        "INTERSECT", "MINUS", "TOKENMATCHES",
    ]

    /// Whether a key must be written with `#`.
    static func mustEscape(_ key: some StringProtocol) -> Bool { all.contains(key.uppercased()) }

    /// Whether the scalar may begin an identifier.
    static func beginsIdentifier(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        default: scalar.value > 127 && scalar.properties.isXIDStart
        }
    }

    /// Whether the scalar may stand in an identifier after its first.
    static func continuesIdentifier(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", "0"..."9": true
        default: scalar.value > 127 && scalar.properties.isXIDContinue
        }
    }

    /// Whether the text may follow `$` or `@`.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy(continuesIdentifier)
    }

    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        guard let first = text.unicodeScalars.first, beginsIdentifier(first) else { return false }
        return text.unicodeScalars.dropFirst().allSatisfy(continuesIdentifier)
    }
}
