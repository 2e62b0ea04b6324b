#if SwiftData
import FirnFoundation
public import Foundation

extension String {
    /// A comparison of texts in the user's language. Ours, not Apple's: of Apple's `String.StandardComparator`,
    /// Foundation has `.lexical` alone on Linux.
    ///
    /// https://developer.apple.com/documentation/swift/string/standardcomparator
    public struct LocalizedComparator: SortComparator, Hashable, Sendable {
        fileprivate enum Rule { case localized, localizedStandard }

        fileprivate let rule: Rule
        public var order: SortOrder = .forward

        fileprivate init(_ rule: Rule) { self.rule = rule }

        /// The order of the user's language.
        public static let localized = LocalizedComparator(.localized)
        /// The order in which a file browser lists names: that of the user's language, with numbers as numbers.
        public static let localizedStandard = LocalizedComparator(.localizedStandard)

        public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
            let result =
                switch rule {
                case .localized: lhs.localizedCompare(rhs)
                case .localizedStandard: lhs.localizedStandardCompare(rhs)
                }
            return order == .forward ? result : result.reversed
        }
    }
}

extension String.StandardComparator {
    /// The order of the user's language.
    public static var localized: String.LocalizedComparator { .localized }
    /// The order in which a file browser lists names.
    public static var localizedStandard: String.LocalizedComparator { .localizedStandard }

    /// The comparator by which models are sorted; nil for `.lexical`.
    fileprivate var forModels: String.LocalizedComparator? {
        for (own, apples) in [
            (String.LocalizedComparator.localized, StandardParts.localized),
            (.localizedStandard, StandardParts.localizedStandard),
        ] where self == String.StandardComparator(apples, order: order) {
            var result = own
            result.order = order
            return result
        }
        return nil
    }
}

/// The properties of Foundation's comparator, which on Linux makes no localized one for others.
private struct StandardParts {
    let options: String.CompareOptions
    let isLocalized = true
    let order = SortOrder.forward

    static let localized = StandardParts(options: []).comparator
    static let localizedStandard = StandardParts(
        options: [.numeric, .caseInsensitive, .widthInsensitive, .forcedOrdering]
    ).comparator

    /// Safe: the two have the same properties, in this order, and the size is checked.
    private var comparator: String.StandardComparator { unsafeBitCast(self, to: String.StandardComparator.self) }
}

// Apple's type, where it is asked for: a type may not have two properties of a name, but its protocol may have one.
extension SortComparator where Self == String.StandardComparator {
    /// The order of the user's language, for variables and parameters of this type. Texts outside of models are
    /// compared without the language.
    @_disfavoredOverload
    public static var localized: String.StandardComparator { StandardParts.localized }

    /// The order in which a file browser lists names, for variables and parameters of this type. Texts outside of
    /// models are compared without the language.
    @_disfavoredOverload
    public static var localizedStandard: String.StandardComparator {
        StandardParts.localizedStandard
    }
}

extension SortComparator where Self == String.LocalizedComparator {
    /// The order of the user's language.
    public static var localized: String.LocalizedComparator { .localized }
    /// The order in which a file browser lists names.
    public static var localizedStandard: String.LocalizedComparator { .localizedStandard }
}

extension SortDescriptor {
    /// Orders by a text, as a comparator does. Without one, a fetch takes `.localizedStandard`.
    public init(
        _ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.LocalizedComparator, order: SortOrder? = nil
    ) {
        let order = order ?? comparator.order
        switch comparator.rule {
        case .localized: self.init(Self.step(keyPath, \String.localizedText), order: order)
        case .localizedStandard: self.init(Self.step(keyPath, \String.localizedStandardText), order: order)
        }
    }

    /// Orders by a text that may be missing, as a comparator does; nil comes first.
    public init(
        _ keyPath: KeyPath<Compared, String?> & Sendable, comparator: String.LocalizedComparator,
        order: SortOrder? = nil
    ) {
        let order = order ?? comparator.order
        switch comparator.rule {
        case .localized:
            self.init(Self.step(keyPath, \Optional<String>.localizedText), order: order)
        case .localizedStandard:
            self.init(Self.step(keyPath, \Optional<String>.localizedStandardText), order: order)
        }
    }

    /// Foundation's descriptor, where a model's would be meant.
    fileprivate static func foundations(
        _ keyPath: KeyPath<Compared, String> & Sendable, _ comparator: String.StandardComparator, _ order: SortOrder
    ) -> Self {
        Self(keyPath, comparator: comparator, order: order)
    }

    /// Foundation's descriptor, where a model's would be meant.
    fileprivate static func foundations(
        _ keyPath: KeyPath<Compared, String?> & Sendable, _ comparator: String.StandardComparator, _ order: SortOrder
    ) -> Self {
        Self(keyPath, comparator: comparator, order: order)
    }

    /// Safe: both key paths may go to other threads, and so may the one that leads over both.
    private static func step<Text, Ordered>(
        _ keyPath: KeyPath<Compared, Text> & Sendable, _ last: KeyPath<Text, Ordered> & Sendable
    ) -> any KeyPath<Compared, Ordered> & Sendable {
        unsafeBitCast(keyPath.appending(path: last), to: (any KeyPath<Compared, Ordered> & Sendable).self)
    }
}

extension SortDescriptor where Compared: PersistentModel {
    /// Orders by a text, as a comparator does, which may be localized.
    public init(_ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator) {
        self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Orders by a text that may be missing, as a comparator does, which may be localized; nil comes first.
    public init(_ keyPath: KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator) {
        self.init(keyPath, comparator: comparator, order: comparator.order)
    }

    /// Orders by a text, as a comparator does, which may be localized.
    public init(
        _ keyPath: KeyPath<Compared, String> & Sendable, comparator: String.StandardComparator, order: SortOrder
    ) {
        if let localized = comparator.forModels {
            self.init(keyPath, comparator: localized, order: order)
        } else {
            self = .foundations(keyPath, comparator, order)
        }
    }

    /// Orders by a text that may be missing, as a comparator does, which may be localized; nil comes first.
    public init(
        _ keyPath: KeyPath<Compared, String?> & Sendable, comparator: String.StandardComparator, order: SortOrder
    ) {
        if let localized = comparator.forModels {
            self.init(keyPath, comparator: localized, order: order)
        } else {
            self = .foundations(keyPath, comparator, order)
        }
    }
}

// Foundation's descriptors hold nothing that is `Comparable` but values at key paths. So a text with the order of its
// comparator is a value of its own, at one more step of the key path.

/// A text that is ordered as in the user's language.
private struct LocalizedText: Comparable {
    let text: String

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.text.localizedCompare(rhs.text) == .orderedAscending }
}

/// A text that is ordered as a file browser lists names.
private struct LocalizedStandardText: Comparable {
    let text: String

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.text.localizedStandardCompare(rhs.text) == .orderedAscending }
}

extension String {
    fileprivate var localizedText: LocalizedText { LocalizedText(text: self) }
    fileprivate var localizedStandardText: LocalizedStandardText { LocalizedStandardText(text: self) }
}

extension String? {
    fileprivate var localizedText: LocalizedText? { self?.localizedText }
    fileprivate var localizedStandardText: LocalizedStandardText? { self?.localizedStandardText }
}

/// Tells key paths that end in the order of a comparator from others.
enum LocalizedTexts {
    /// The selector of the order; nil for another key path.
    static func selectorName(of keyPath: AnyKeyPath) -> String? {
        let type = Swift.type(of: keyPath).valueType
        if type == LocalizedText.self || type == LocalizedText?.self { return "localizedCompare:" }
        if type == LocalizedStandardText.self || type == LocalizedStandardText?.self {
            return "localizedStandardCompare:"
        }
        return nil
    }
}

extension ComparisonResult {
    fileprivate var reversed: ComparisonResult { ComparisonResult(rawValue: -rawValue) ?? .orderedSame }
}

// In memory, a descriptor without a comparator compares models as a fetch does.

extension SortDescriptor where Compared: PersistentModel {
    fileprivate func ordering(of lhs: Compared, _ rhs: Compared) -> ComparisonResult {
        guard let keyPath, selectorName == "localizedStandardCompare:" else { return compare(lhs, rhs) }
        let result: ComparisonResult =
            switch (lhs[keyPath: keyPath] as? String, rhs[keyPath: keyPath] as? String) {
            case (let left?, let right?): left.localizedStandardCompare(right)
            case (nil, nil): .orderedSame
            case (nil, _): .orderedAscending
            case (_, nil): .orderedDescending
            }
        return order == .forward ? result : result.reversed
    }
}

extension Sequence where Element: PersistentModel {
    /// The models in the order of a descriptor.
    public func sorted(using descriptor: SortDescriptor<Element>) -> [Element] { sorted(using: [descriptor]) }

    /// The models in the order of descriptors, the first of them first.
    public func sorted(using descriptors: some Sequence<SortDescriptor<Element>>) -> [Element] {
        let descriptors = Array(descriptors)
        return sorted { left, right in
            let orders = descriptors.lazy.map { $0.ordering(of: left, right) }
            return orders.first { $0 != .orderedSame } == .orderedAscending
        }
    }
}

extension MutableCollection where Self: RandomAccessCollection, Element: PersistentModel {
    /// Puts the models in the order of a descriptor.
    public mutating func sort(using descriptor: SortDescriptor<Element>) { sort(using: [descriptor]) }

    /// Puts the models in the order of descriptors, the first of them first.
    public mutating func sort(using descriptors: some Sequence<SortDescriptor<Element>>) {
        for (index, model) in zip(indices, sorted(using: descriptors)) { self[index] = model }
    }
}
#endif
