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
        self.init(
            key: key, keyPath: keyPath, ascending: ascending,
            selector: comparator == nil ? selector ?? "compare:" : nil, comparator: comparator,
            comparison: selector.map(SortComparison.init) ?? .natural, path: KeyPathComponents(key ?? "self"))
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
        self.init(key: key, ascending: ascending, comparison: .rank(search), path: KeyPathComponents(key))
    }

    private init(
        key: String?, keyPath: AnyKeyPath? = nil, ascending: Bool, selector: Selector? = nil,
        comparator: Comparator? = nil, comparison: SortComparison, path: KeyPathComponents
    ) {
        self.key = key
        self.keyPath = keyPath
        self.ascending = ascending
        self.selector = selector
        self.comparator = comparator
        self.path = path
        self.comparison = comparison
    }

    var reversed: SortRule {
        SortRule(
            key: key, keyPath: keyPath, ascending: !ascending, selector: selector, comparator: comparator,
            comparison: comparison, path: path)
    }

    /// The order of dictionaries by one of their keys.
    func reading(column: String) -> SortRule {
        SortRule(
            key: column, ascending: ascending, selector: selector, comparator: comparator, comparison: comparison,
            path: KeyPathComponents(key: column))
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
