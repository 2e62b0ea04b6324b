import Foundation
import Synchronization

/// A regular expression that cannot be compiled.
package struct InvalidRegularExpression: Error, CustomStringConvertible {
    package let pattern: String
    package let reason: String

    package var description: String {
        "the regular expression \"\(pattern)\" cannot be used: \(reason)"
    }
}

extension StringComparison {
    /// Whether the whole of `text` matches the regular expression (`MATCHES`), in ICU's syntax.
    ///
    /// - Throws: `InvalidRegularExpression`.
    ///
    /// https://unicode-org.github.io/icu/userguide/strings/regexp.html
    package static func matches(
        _ text: String, _ pattern: String, options: ComparisonOptions = []
    ) throws -> Bool {
        let expression = try RegularExpressions.shared.expression(pattern, options)
        let ignored = options.intersection(.diacriticInsensitive)
        let subject = ignored.isEmpty ? text : folded(text, ignored)
        let range = NSRange(location: 0, length: subject.utf16.count)
        return expression.firstMatch(in: subject, options: [], range: range) != nil
    }
}

/// Compiled regular expressions by pattern and options, since compiling costs much more than matching.
///
/// Guarded by its own lock. Emptied when it is full: programs have few patterns, and one that makes
/// them from data must not fill the memory.
final class RegularExpressions: Sendable {
    static let shared = RegularExpressions()
    static let countMax = 256
    /// Longer patterns, in bytes, are compiled each time.
    static let sizeMax = 4 << 10

    private struct Key: Hashable {
        let pattern: String
        let options: ComparisonOptions

        /// By code units, as ICU matches: é in one scalar and é in two are one `String`, and two patterns.
        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.options == rhs.options && lhs.pattern.utf8.elementsEqual(rhs.pattern.utf8)
        }
    }

    private let compiled = Mutex<[Key: NSRegularExpression]>([:])

    func expression(_ pattern: String, _ options: ComparisonOptions) throws -> NSRegularExpression {
        let key = Key(
            pattern: pattern,
            options: options.intersection([.caseInsensitive, .diacriticInsensitive]))
        if let known = compiled.withLock({ $0[key] }) { return known }
        let made = try compile(key)
        if pattern.utf8.count > Self.sizeMax { return made }
        compiled.withLock {
            if $0.count >= RegularExpressions.countMax { $0.removeAll() }
            $0[key] = made
        }
        return made
    }

    private func compile(_ key: Key) throws -> NSRegularExpression {
        let pattern = StringComparison.folded(
            key.pattern, key.options.intersection(.diacriticInsensitive))
        let isCaseInsensitive = key.options.contains(.caseInsensitive)
        do {
            // Alone first: wrapped, an unbalanced ")" would end our own group and be accepted.
            // ICU refuses the empty expression, which matches the empty string.
            if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern) }
            return try NSRegularExpression(
                pattern: "\\A(?:\(pattern))\\z",
                options: isCaseInsensitive ? [.caseInsensitive] : [])
        } catch {
            throw InvalidRegularExpression(
                pattern: key.pattern, reason: "it is not in ICU's syntax")
        }
    }
}
