public import Foundation

/// Says by which property, in which direction and with which comparison objects are sorted.
///
/// Immutable, except by subclasses that override `compare(_:to:)`. nil comes before every value
/// when ascending.
///
/// https://developer.apple.com/documentation/foundation/nssortdescriptor
open class NSSortDescriptor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let rule: SortRule

    init(_ rule: SortRule) { self.rule = rule }

    /// Sorts by the values' own order, that of `compare:`.
    public init(key: String?, ascending: Bool) {
        rule = SortRule(key: key, ascending: ascending)
    }

    /// Sorts by one of the comparisons of strings. nil is `compare:`. Traps on another selector.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        rule = SortRule(key: key, ascending: ascending, selector: selector)
    }

    /// Sorts by a comparison of the caller, which is never given nil. A SQL store cannot use it.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        rule = SortRule(key: key, ascending: ascending, comparator: comparator)
    }

    /// Sorts by a Swift key path. `key` is nil if a property of the path has no name in key-value coding, as a computed
    /// one. A SQL store cannot use such a descriptor.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        rule = SortRule(keyPath: keyPath, ascending: ascending)
    }

    /// Sorts by a Swift key path with a comparison of the caller.
    public init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
    ) {
        rule = SortRule(keyPath: keyPath, ascending: ascending, comparator: comparator)
    }

    /// The key path of key-value coding, nil to compare the objects themselves.
    open var key: String? { rule.key }

    /// Whether the smallest comes first.
    open var ascending: Bool { rule.ascending }

    /// The method that compares two values; nil if there is a comparator.
    open var selector: Selector? { rule.selector }

    /// The Swift key path, if the descriptor was made from one.
    public var keyPath: AnyKeyPath? { rule.keyPath }

    /// The comparison of two values that are not nil. It ignores `key` and `ascending`.
    open var comparator: Comparator {
        if let own = rule.comparator { return own }
        return { [rule] in rule.comparison.compare($0, $1, key: rule.key) }
    }

    /// The search by whose rank the texts are sorted.
    package var rankedSearch: TokenSearch? {
        if case .rank(let search) = rule.comparison { search } else { nil }
    }

    /// Sorts dictionaries by one of their keys, as the descriptor sorts objects. The key may have dots in it.
    package func reading(column: String) -> NSSortDescriptor { NSSortDescriptor(rule.reading(column: column)) }

    /// Whether the comparison is a closure's and not one of this class's own.
    package var hasComparator: Bool { rule.comparator != nil }

    /// The order of two objects by this descriptor alone.
    open func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        rule.compare(rule.value(of: object1), rule.value(of: object2))
    }

    /// The descriptor with the other direction.
    open var reversedSortDescriptor: Any { NSSortDescriptor(rule.reversed) }

    /// Nothing to allow here: decoded descriptors hold no code.
    open func allowEvaluation() {}

    // A closure is equal to nothing, so a descriptor with one is equal to itself and its copies only.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSSortDescriptor else { return false }
        if self === other { return true }
        return !hasComparator && !other.hasComparator && key == other.key
            && (key != nil || keyPath == other.keyPath)
            && ascending == other.ascending && selector == other.selector && rankedSearch == other.rankedSearch
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    open override var description: String {
        "(\(key ?? "self"), \(ascending ? "ascending" : "descending"), "
            + "\(selector?.description ?? rankedSearch.map { "rank of “\($0.text)”" } ?? "comparator"))"
    }

    open override func copy() -> Any { self }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    public static var supportsSecureCoding: Bool { true }

    /// Decodes a descriptor; nil if its selector is not one that can be used.
    public required init?(coder: NSCoder) {
        let key = coder.decodeObject(of: NSString.self, forKey: "NSKey") as String?
        let ascending = coder.decodeBool(forKey: "NSAscending")
        if let key, coder.containsValue(forKey: "FirnTokens"),
            let tokens = coder.decodeObject(of: NSString.self, forKey: "FirnTokens") as String?
        {
            let options = ComparisonOptions(rawValue: UInt(clamping: coder.decodeInt64(forKey: "FirnTokenOptions")))
            rule = SortRule(key: key, ascending: ascending, rankOf: TokenSearch(tokens, options))
            return
        }
        let selector = coder.decodeObject(of: NSString.self, forKey: "NSSelector") as String?
        if let selector, TextOrdering(rawValue: selector) == nil { return nil }
        rule = SortRule(
            key: key, ascending: ascending, selector: selector.map { Selector($0) })
    }

    /// Encodes the descriptor. Traps if it has a comparator, which cannot be written down.
    open func encode(with coder: NSCoder) {
        guard selector != nil || rankedSearch != nil else {
            misuse("a sort descriptor with a comparator cannot be encoded: use a selector")
        }
        coder.encode(key as NSString?, forKey: "NSKey")
        coder.encode(ascending, forKey: "NSAscending")
        if let selector { coder.encode(selector.description as NSString, forKey: "NSSelector") }
        if let search = rankedSearch {
            coder.encode(search.text as NSString, forKey: "FirnTokens")
            coder.encode(Int64(search.options.rawValue), forKey: "FirnTokenOptions")
        }
    }
}

/// The name of a method, as Objective-C spells it: `Selector("caseInsensitiveCompare:")`.
///
/// Linux has no Objective-C runtime, so a selector cannot be sent. It names a comparison of a sort descriptor, and is
/// the type where Apple's signatures have a selector.
///
/// https://developer.apple.com/documentation/objectivec/selector
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method's name with its colons.
    public let description: String

    /// A selector of the given name.
    public init(_ name: String) { description = name }

    /// A selector of the given name.
    public init(stringLiteral value: String) { description = value }
}
