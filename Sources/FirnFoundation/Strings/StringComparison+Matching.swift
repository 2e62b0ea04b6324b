import Foundation
import Synchronization

/// A regular expression that cannot be compiled.
package struct InvalidRegularExpression: LocalizedError, CustomStringConvertible {
    package let pattern: String
    package let reason: String

    package var description: String {
        "the regular expression \"\(pattern)\" cannot be used: \(reason)"
    }

    package var errorDescription: String? { description }
}

/// A match that was stopped: the expression has too many ways to match the text, or the text is too long for it.
package struct UnfinishedMatch: LocalizedError, CustomStringConvertible {
    package let pattern: String
    /// In UTF-16 units.
    package let textLength: Int
    package let reason: String

    package var description: String {
        "MATCHES \"\(pattern)\" was given up on a text of \(textLength) characters: \(reason). "
            + "Write the expression without nested repetitions, or compare with LIKE, BEGINSWITH or CONTAINS"
    }

    package var errorDescription: String? { description }
}

extension StringComparison {
    /// How often ICU may report progress on one text, which it does every 10,000 steps: about a second's work. An
    /// expression such as `(a+)+b` takes twice as many steps for every character more. After some 4,000 reports
    /// Foundation ends the match by itself, as if there were none.
    static let matchProgressMax = 2_000

    /// Whether the whole of `text` matches the regular expression (`MATCHES`), in ICU's syntax.
    ///
    /// - Throws: `InvalidRegularExpression`, `UnfinishedMatch`.
    ///
    /// https://unicode-org.github.io/icu/userguide/strings/regexp.html
    package static func matches(
        _ text: String, _ pattern: String, options: ComparisonOptions = []
    ) throws -> Bool {
        let expression = try RegularExpressions.shared.expression(pattern, options)
        let ignored = options.intersection(.diacriticInsensitive)
        let subject = ignored.isEmpty ? text : folded(text, ignored)
        let range = NSRange(location: 0, length: subject.utf16.count)
        var isFound = false
        var progress = 0
        var reason: String?
        expression.enumerateMatches(in: subject, options: [.reportProgress, .reportCompletion], range: range) {
            match, flags, stop in
            if flags.contains(.internalError) {
                reason = "it needs more memory than there is for it"
            } else if flags.contains(.progress) {
                progress += 1
                guard progress > matchProgressMax else { return }
                reason = "it takes more than \(matchProgressMax * 10_000) steps"
                stop.pointee = true
            } else if !flags.contains(.completed), match != nil {
                isFound = true
                stop.pointee = true
            }
        }
        if !isFound, let reason {
            throw UnfinishedMatch(pattern: pattern, textLength: subject.utf16.count, reason: reason)
        }
        return isFound
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
