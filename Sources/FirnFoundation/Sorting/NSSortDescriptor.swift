public import Foundation

/// Says by which property, in which direction and with which comparison objects are sorted.
///
/// Immutable, except by subclasses that override `compare(_:to:)`. nil comes before every value when ascending.
///
/// https://developer.apple.com/documentation/foundation/nssortdescriptor
open class NSSortDescriptor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The key path of key-value coding, nil to compare the objects themselves.
    public let key: String?
    public let ascending: Bool
    /// The method that compares two values; nil if there is a comparator.
    public let selector: Selector?
    /// The Swift key path, if the descriptor was made from one.
    public let keyPath: AnyKeyPath?

    let path: KeyPathComponents
    private let comparison: SortComparison
    private let ownComparator: Comparator?

    private init(
        key: String?, keyPath: AnyKeyPath?, ascending: Bool, selector: Selector?,
        comparator: Comparator?
    ) {
        self.key = key
        self.keyPath = keyPath
        self.ascending = ascending
        self.selector = comparator == nil ? selector ?? "compare:" : nil
        path = KeyPathComponents(key ?? "self")
        comparison = selector.map(SortComparison.init) ?? .natural
        ownComparator = comparator
    }

    /// Sorts by the values' own order, that of `compare:`.
    public convenience init(key: String?, ascending: Bool) {
        self.init(key: key, keyPath: nil, ascending: ascending, selector: nil, comparator: nil)
    }

    /// Sorts by one of the comparisons of strings. nil is `compare:`. Traps on another selector.
    public convenience init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(key: key, keyPath: nil, ascending: ascending, selector: selector, comparator: nil)
    }

    /// Sorts by a comparison of the caller, which is never given nil. A SQL store cannot use it.
    public convenience init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self.init(
            key: key, keyPath: nil, ascending: ascending, selector: nil, comparator: comparator)
    }

    /// Sorts by a Swift key path. `key` is nil if the path has no name in key-value coding: see
    /// `keyValueCodingKeyPath(for:)`.
    public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            key: keyValueCodingKeyPath(for: keyPath), keyPath: keyPath, ascending: ascending,
            selector: nil, comparator: nil)
    }

    /// Sorts by a Swift key path with a comparison of the caller.
    public convenience init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
    ) {
        self.init(
            key: keyValueCodingKeyPath(for: keyPath), keyPath: keyPath, ascending: ascending,
            selector: nil, comparator: comparator)
    }

    /// The comparison of two values that are not nil. It does not look at `key` or `ascending`.
    public var comparator: Comparator {
        if let ownComparator { return ownComparator }
        return { [comparison, key] in comparison.compare($0, $1, key: key) }
    }

    /// Whether the order is one of this class's own and not a closure's.
    package var hasComparator: Bool { ownComparator != nil }

    /// The order of two objects by this descriptor alone.
    open func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        compareValues(value(of: object1), value(of: object2))
    }

    /// The same descriptor with the other direction.
    open var reversedSortDescriptor: Any { reversed }

    package var reversed: NSSortDescriptor {
        NSSortDescriptor(
            key: key, keyPath: keyPath, ascending: !ascending, selector: selector,
            comparator: ownComparator)
    }

    /// Nothing to allow here: decoded descriptors hold no code.
    open func allowEvaluation() {}

    /// The value that is compared, nil for `NSNull`.
    final func value(of object: Any) -> Any? {
        let found: Any?
        if key == nil, let keyPath {
            found = object[keyPath: keyPath]
        } else {
            found = keyValueCodingValue(of: object, forKeyPath: path)
        }
        return ValueComparison.isNull(found) ? nil : found
    }

    /// The order of two values of the key, nil first when ascending.
    final func compareValues(_ a: Any?, _ b: Any?) -> ComparisonResult {
        let order: ComparisonResult
        switch (a, b) {
        case (nil, nil): return .orderedSame
        case (nil, _): order = .orderedAscending
        case (_, nil): order = .orderedDescending
        case (let a?, let b?):
            order = ownComparator?(a, b) ?? comparison.compare(a, b, key: key)
        }
        return ascending ? order : order.opposite
    }

    // A closure is equal to nothing, so a descriptor with one is equal to itself and its copies only.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSSortDescriptor else { return false }
        if self === other { return true }
        return ownComparator == nil && other.ownComparator == nil && key == other.key
            && (key != nil || keyPath == other.keyPath)
            && ascending == other.ascending && selector == other.selector
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(ascending)
        return hasher.finalize()
    }

    open override var description: String {
        "(\(key ?? "self"), \(ascending ? "ascending" : "descending"), "
            + "\(selector?.description ?? "comparator"))"
    }

    open override func copy() -> Any { self }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    public static var supportsSecureCoding: Bool { true }

    /// Decodes a descriptor; nil if its selector is not one that can be used.
    public required convenience init?(coder: NSCoder) {
        let key = coder.decodeObject(of: NSString.self, forKey: "NSKey") as String?
        let selector = coder.decodeObject(of: NSString.self, forKey: "NSSelector") as String?
        if let selector, SortComparison.selectors[selector] == nil { return nil }
        self.init(
            key: key, ascending: coder.decodeBool(forKey: "NSAscending"),
            selector: selector.map { Selector($0) })
    }

    /// Encodes the descriptor. Traps if it has a comparator, which cannot be written down.
    open func encode(with coder: NSCoder) {
        guard let selector else {
            misuse("a sort descriptor with a comparator cannot be encoded: use a selector")
        }
        coder.encode(key as NSString?, forKey: "NSKey")
        coder.encode(ascending, forKey: "NSAscending")
        coder.encode(selector.description as NSString, forKey: "NSSelector")
    }
}
