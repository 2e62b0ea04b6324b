import Foundation

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
