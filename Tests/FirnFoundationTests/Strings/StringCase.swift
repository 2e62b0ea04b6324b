import FirnFoundation
import Testing

/// One comparison of two strings and its answer, printed when it fails.
struct StringCase: Sendable, CustomTestStringConvertible {
    let left: String
    let right: String
    let options: ComparisonOptions
    let answer: Bool

    init(_ left: String, _ right: String, _ options: ComparisonOptions, _ answer: Bool) {
        self.left = left
        self.right = right
        self.options = options
        self.answer = answer
    }

    var testDescription: String {
        let letters: [(ComparisonOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
            (.localized, "l"),
        ]
        let shown = letters.filter { options.contains($0.0) }.map(\.1).joined()
        return "\(left) [\(shown)] \(right)"
    }
}

extension ComparisonOptions {
    static let both: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]
}
