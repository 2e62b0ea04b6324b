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
}

extension SortRule {
    /// Traps on a selector that is not one of `TextOrdering`.
    init(
        key: String?, keyPath: AnyKeyPath? = nil, ascending: Bool, selector: Selector? = nil,
        comparator: Comparator? = nil
    ) {
        self.init(
            key: key, keyPath: keyPath, ascending: ascending,
            selector: comparator == nil ? selector ?? "compare:" : nil, comparator: comparator,
            path: KeyPathComponents(key ?? "self"),
            comparison: selector.map(SortComparison.init) ?? .ordering(.natural))
    }

    init<Root, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: Comparator? = nil
    ) {
        self.init(
            key: keyValueCodingKeyPath(for: keyPath), keyPath: keyPath, ascending: ascending,
            comparator: comparator)
    }

    /// Sorts by how well the texts of a key fit a search.
    init(key: String, ascending: Bool, rankOf search: TokenSearch) {
        self.init(
            key: key, keyPath: nil, ascending: ascending, selector: nil, comparator: nil, path: KeyPathComponents(key),
            comparison: .rank(search))
    }

    var reversed: SortRule {
        SortRule(
            key: key, keyPath: keyPath, ascending: !ascending, selector: selector, comparator: comparator,
            path: path, comparison: comparison)
    }

    /// The order of dictionaries by one of their keys.
    func reading(column: String) -> SortRule {
        SortRule(
            key: column, keyPath: nil, ascending: ascending, selector: selector, comparator: comparator,
            path: KeyPathComponents(key: column), comparison: comparison)
    }

    /// The value that is compared, nil for `NSNull`; with `joinsRows` that of a store.
    func value(of object: Any, joinsRows: Bool = false) -> Any? {
        let found: Any?
        if key == nil, let keyPath {
            found = object[keyPath: keyPath]
        } else {
            found = keyValueCodingValue(of: object, forKeyPath: path, joinsRows: joinsRows)
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
