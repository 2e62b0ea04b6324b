import Foundation

/// How a sort descriptor compares two values that are not nil.
enum SortComparison: Sendable {
    /// `compare:`, the order of `ValueComparison`.
    case natural
    /// `caseInsensitiveCompare:`
    case caseInsensitive
    /// `localizedCompare:`
    case localized
    /// `localizedCaseInsensitiveCompare:`
    case localizedCaseInsensitive
    /// `localizedStandardCompare:`, the order in which a file browser lists names.
    case localizedStandard
    /// By how well texts fit a search.
    case rank(TokenSearch)

    /// The selectors there are.
    static let selectors: [String: SortComparison] = [
        "compare:": .natural,
        "caseInsensitiveCompare:": .caseInsensitive,
        "localizedCompare:": .localized,
        "localizedCaseInsensitiveCompare:": .localizedCaseInsensitive,
        "localizedStandardCompare:": .localizedStandard,
    ]

    /// Traps on a selector that is none of them.
    init(_ selector: Selector) {
        guard let known = SortComparison.selectors[selector.description] else {
            misuse(
                "a sort descriptor cannot send \(selector): use one of "
                    + SortComparison.selectors.keys.sorted().joined(separator: ", ")
                    + ", or give a comparator")
        }
        self = known
    }

    func compare(_ a: Any, _ b: Any, key: String?) -> ComparisonResult {
        if !isNatural, let a = Self.text(a), let b = Self.text(b) { return compare(a, b) }
        // As in a store, an order of texts leaves other values in their own.
        if let order = ValueComparison.compare(a, b) ?? Self.asStored(a, b) { return order }
        misuse(
            "the values of \"\(key ?? "self")\" have no order: \(type(of: a)) and \(type(of: b)). "
                + "Sort by another key, or give a comparator.")
    }

    private var isNatural: Bool { if case .natural = self { true } else { false } }

    /// The text that a store has of a value.
    private static func text(_ value: Any) -> String? {
        switch PlainValue(value) {
        case .string(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }

    /// The order of a store for values that have none by themselves: objects by their keys, NaN after all numbers.
    private static func asStored(_ a: Any, _ b: Any) -> ComparisonResult? {
        switch (PlainValue(a), PlainValue(b)) {
        case (.number(let a), .number): return a.doubleValue.isNaN ? .orderedDescending : .orderedAscending
        default: break
        }
        guard let a = (a as? any IdentityProviding)?.comparisonIdentity as? any KeyedIdentity,
            let b = (b as? any IdentityProviding)?.comparisonIdentity as? any KeyedIdentity
        else { return nil }
        return order(a.orderKey, b.orderKey)
    }

    private func compare(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .natural: StringComparison.compare(a, b)
        case .caseInsensitive: StringComparison.compare(a, b, options: .caseInsensitive)
        case .localized: a.localizedCompare(b)
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandard: a.localizedStandardCompare(b)
        case .rank(let search): NumericValue.double(search.rank(in: a)).compare(.double(search.rank(in: b)))!
        }
    }
}
