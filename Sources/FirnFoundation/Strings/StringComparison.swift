package import Foundation

/// The string operators of predicates and sort descriptors.
///
/// One place for all of them, so that what a predicate answers in memory and what a store's SQL functions answer cannot
/// differ. Without options equality and order are those of the code units, as for `NSString.isEqual(_:)`. With options,
/// and in the search for a part, canonically equivalent strings are equal, as for `NSString.compare(_:options:)`. Where
/// bytes decide, as for ASCII and Chinese, nothing is allocated and Foundation is not called.
///
/// https://developer.apple.com/documentation/foundation/nsstring/compareoptions
package enum StringComparison {
    /// Whether the whole strings are equal (`==`, and a string's side of `IN`).
    package static func equal(_ a: String, _ b: String, options: ComparisonOptions = []) -> Bool {
        if options.isDisjoint(with: .folding) { return PlainText.unitsAreEqual(a, b) }
        let equal = PlainText.withBytes(a, b, options) { left, right in
            left.count == right.count
                && PlainText.holds(right, in: left, at: 0, options.contains(.caseInsensitive))
        }
        if let equal { return equal }
        return a.compare(b, options: options.foundationOptions, locale: options.locale)
            == .orderedSame
    }

    /// The order of two strings (`<` and its like, sort descriptors).
    ///
    /// Without options it is the order of code points, in which all capitals come before all small letters. SQLite's
    /// `BINARY` has the same order, so that a store and memory agree.
    package static func compare(
        _ a: String, _ b: String, options: ComparisonOptions = []
    ) -> ComparisonResult {
        if options.isDisjoint(with: .folding) { return PlainText.orderOfUnits(a, b) }
        if options.contains(.caseInsensitive), options.locale == nil {
            // Foundation's own order without case has circles: beépít < belép < béke < beépít.
            return PlainText.compareFolded(a, b, options)
                ?? PlainText.orderOfUnits(
                    folded(a, options).decomposedStringWithCanonicalMapping,
                    folded(b, options).decomposedStringWithCanonicalMapping)
        }
        return a.compare(b, options: options.foundationOptions, locale: options.locale)
    }

    /// Whether `text` begins with `prefix` (`BEGINSWITH`). The empty string begins every string.
    package static func hasPrefix(
        _ text: String, _ prefix: String, options: ComparisonOptions = []
    ) -> Bool {
        if let answer = PlainText.hasPrefix(text, prefix, options) { return answer }
        return find(prefix, in: text, options, [.anchored])
    }

    /// Whether `text` ends with `suffix` (`ENDSWITH`). The empty string ends every string.
    package static func hasSuffix(
        _ text: String, _ suffix: String, options: ComparisonOptions = []
    ) -> Bool {
        if let answer = PlainText.hasSuffix(text, suffix, options) { return answer }
        return find(suffix, in: text, options, [.anchored, .backwards])
    }

    /// Whether `part` is found in `text` (`CONTAINS`). The empty string is in every string.
    package static func contains(
        _ text: String, _ part: String, options: ComparisonOptions = []
    ) -> Bool {
        if let answer = PlainText.contains(text, part, options) { return answer }
        return find(part, in: text, options, [])
    }

    private static func find(
        _ part: String, in text: String, _ options: ComparisonOptions,
        _ place: String.CompareOptions
    ) -> Bool {
        if part.isEmpty { return true }
        let all = options.foundationOptions.union(place)
        return text.range(of: part, options: all, locale: options.locale) != nil
    }
}

/// How two strings of a predicate are compared: the letters in brackets after a string operator.
///
/// The raw values are those of `NSComparisonPredicate.Options`.
/// https://developer.apple.com/documentation/foundation/nscomparisonpredicate/options
package struct ComparisonOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    /// `[c]`
    package static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`
    package static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: the caller has normalised the strings, so their units are compared unchanged.
    package static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`: the order and the letter case are those of the current locale.
    package static let localized = ComparisonOptions(rawValue: 8)

    /// The options that make strings with different units equal.
    static let folding: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive, .localized]

    /// The options for Foundation's string functions.
    var foundationOptions: String.CompareOptions {
        var options: String.CompareOptions = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        if contains(.normalized) { options.insert(.literal) }
        return options
    }

    /// The locale for Foundation's string functions; nil for locale-independent rules.
    var locale: Locale? { contains(.localized) ? Locale.current : nil }
}
