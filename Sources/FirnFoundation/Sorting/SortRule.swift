import Foundation

/// The parts that a sort descriptor was made of.
struct SortRule {
    let key: String?
    let keyPath: AnyKeyPath?
    let ascending: Bool
    let selector: Selector?
    let comparator: Comparator?
    /// The parsed key path; `self` without a key.
    let path: KeyPathComponents
    let comparison: SortComparison

    /// Traps on a selector that is not one of `SortComparison.selectors`.
    init(
        key: String?, keyPath: AnyKeyPath? = nil, ascending: Bool, selector: Selector? = nil,
        comparator: Comparator? = nil
    ) {
        self.key = key
        self.keyPath = keyPath
        self.ascending = ascending
        self.selector = comparator == nil ? selector ?? "compare:" : nil
        self.comparator = comparator
        path = KeyPathComponents(key ?? "self")
        comparison = selector.map(SortComparison.init) ?? .natural
    }

    init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: Comparator? = nil
    ) {
        self.init(
            key: keyValueCodingKeyPath(for: keyPath), keyPath: keyPath, ascending: ascending,
            comparator: comparator)
    }

    var reversed: SortRule {
        SortRule(
            key: key, keyPath: keyPath, ascending: !ascending, selector: selector,
            comparator: comparator)
    }

    /// The value that is compared, nil for `NSNull`.
    func value(of object: Any) -> Any? {
        let found: Any?
        if key == nil, let keyPath {
            found = object[keyPath: keyPath]
        } else {
            found = keyValueCodingValue(of: object, forKeyPath: path)
        }
        return ValueComparison.isNull(found) ? nil : found
    }

    /// The order of two values of the key, nil first when ascending.
    func compare(_ a: Any?, _ b: Any?) -> ComparisonResult {
        let order: ComparisonResult
        switch (a, b) {
        case (nil, nil): return .orderedSame
        case (nil, _): order = .orderedAscending
        case (_, nil): order = .orderedDescending
        case (let a?, let b?):
            order = comparator?(a, b) ?? comparison.compare(a, b, key: key)
        }
        return ascending ? order : order.opposite
    }
}
