package import Foundation

/// An order of texts by the selector of a sort descriptor.
package enum TextOrdering: String, CaseIterable, Sendable {
    /// The order of `ValueComparison`.
    case natural = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// The order in which a file browser lists names.
    case localizedStandard = "localizedStandardCompare:"

    package func compare(_ a: String, _ b: String) -> ComparisonResult {
        switch self {
        case .natural: StringComparison.compare(a, b)
        case .caseInsensitive: StringComparison.compare(a, b, options: .caseInsensitive)
        case .localized: a.localizedCompare(b)
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b)
        case .localizedStandard: a.localizedStandardCompare(b)
        }
    }
}

/// How a sort descriptor compares two values that are not nil.
enum SortComparison: Sendable {
    case ordering(TextOrdering)
    /// By how well texts fit a search.
    case rank(TokenSearch)

    /// Traps on a selector that is none of an ordering's.
    init(_ selector: Selector) {
        guard let known = TextOrdering(rawValue: selector.description) else {
            misuse(
                "a sort descriptor cannot send \(selector): use one of "
                    + TextOrdering.allCases.map(\.rawValue).sorted().joined(separator: ", ")
                    + ", or give a comparator")
        }
        self = .ordering(known)
    }

    func compare(_ a: Any, _ b: Any, key: String?) -> ComparisonResult {
        if !isNatural, let a = Self.text(a), let b = Self.text(b) { return compare(a, b) }
        // As in a store, an order of texts leaves other values in their own.
        if let order = ValueComparison.compare(a, b) ?? Self.asStored(a, b) { return order }
        misuse(
            "the values of \"\(key ?? "self")\" have no order: \(type(of: a)) and \(type(of: b)). "
                + "Sort by another key, or give a comparator.")
    }

    var isNatural: Bool { if case .ordering(.natural) = self { true } else { false } }

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
        case .ordering(let ordering): ordering.compare(a, b)
        case .rank(let search): NumericValue.double(search.rank(in: a)).compare(.double(search.rank(in: b)))!
        }
    }
}
