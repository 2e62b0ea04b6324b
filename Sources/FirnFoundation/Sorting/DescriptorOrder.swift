package import Foundation

/// The order of several sort descriptors together: a later one decides where all before it find no
/// difference.
///
/// Confined to one thread, since a descriptor's comparator may be.
package struct DescriptorOrder {
    package let descriptors: [NSSortDescriptor]
    /// Whether the values of key paths are those of a store.
    let joinsRows: Bool

    package init(_ descriptors: [NSSortDescriptor], joinsRows: Bool = false) {
        (self.descriptors, self.joinsRows) = (descriptors, joinsRows)
    }

    /// The order of two objects. Reads the values of both.
    package func compare(_ a: Any, _ b: Any) -> ComparisonResult {
        for descriptor in descriptors {
            let order = descriptor.compare(a, to: b)
            if order != .orderedSame { return order }
        }
        return .orderedSame
    }

    /// The elements in order. Equal elements keep their relative order.
    ///
    /// The values of each element are read once, before sorting. A sort of n elements makes about n log n comparisons,
    /// and reading costs more than comparing.
    package func sorted<Element>(_ elements: [Element]) -> [Element] {
        guard !descriptors.isEmpty, elements.count > 1 else { return elements }
        // A subclass may override the comparison, so its method compares the objects.
        guard descriptors.allSatisfy({ type(of: $0) == NSSortDescriptor.self }) else {
            return sortedByObjects(elements)
        }
        let columns = descriptors.map { descriptor in
            SortColumn(elements.map { descriptor.rule.value(of: $0, joinsRows: joinsRows) }, descriptor.rule)
        }
        let order = elements.indices.sorted { a, b in
            for column in columns {
                let result = column.compare(a, b)
                if result != .orderedSame { return result == .orderedAscending }
            }
            return a < b
        }
        return order.map { elements[$0] }
    }

    private func sortedByObjects<Element>(_ elements: [Element]) -> [Element] {
        let order = elements.indices.sorted { a, b in
            let result = compare(elements[a], elements[b])
            return result == .orderedSame ? a < b : result == .orderedAscending
        }
        return order.map { elements[$0] }
    }
}
