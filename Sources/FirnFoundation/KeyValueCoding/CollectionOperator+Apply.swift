import Foundation

/// A collection operator was applied to something that is no collection.
package struct CollectionOperatorMisuse: LocalizedError, CustomStringConvertible {
    package let operation: CollectionOperator
    package let type: Any.Type

    package var description: String {
        "@\(operation.rawValue) needs a collection, \(type) is none"
    }

    package var errorDescription: String? { description }
}

extension CollectionOperator {
    /// The operator's result over the values at `path` of the members of `collection`.
    ///
    /// Null members count as 0 in `@sum` and `@avg`, and are passed over by `@min` and `@max`. Over
    /// nothing, `@sum` and `@avg` are 0, `@min` and `@max` nil. The unions give `[Any]`, those of
    /// sets `NSSet`. A store leaves nulls and NaN out.
    func apply(
        to collection: Any, _ path: ArraySlice<KeyPathComponents.Component>, asStored: Bool = false
    ) throws -> Any? {
        if self == .count {
            if let count = collectionCount(of: collection) { return count }
            if ValueComparison.isNull(collection) { return nil }
        }
        guard let members = collectionMembers(of: collection) else {
            if ValueComparison.isNull(collection) { return nil }
            throw CollectionOperatorMisuse(operation: self, type: Swift.type(of: collection))
        }
        var values =
            try path.isEmpty ? members : members.map { try keyValue(of: $0, at: path) ?? NSNull() }
        if asStored, self != .count { values = StoredNumbers.members(values) }
        switch self {
        case .count: return values.count
        case .sum: return ValueReduction.sum(flattened(values))
        case .average: return ValueReduction.average(flattened(values))
        case .minimum: return ValueReduction.extreme(flattened(values), .orderedAscending)
        case .maximum: return ValueReduction.extreme(flattened(values), .orderedDescending)
        case .unionOfObjects: return values
        case .distinctUnionOfObjects: return distinctMembers(values)
        case .unionOfArrays: return flattened(values)
        case .distinctUnionOfArrays: return distinctMembers(flattened(values))
        case .unionOfSets, .distinctUnionOfSets: return uniqueMembers(of: flattened(values))
        }
    }

    /// Members of members in place of members that are collections: a path through two to-many properties.
    private func flattened(_ values: [Any]) -> [Any] {
        values.flatMap { collectionMembers(of: $0) ?? [$0] }
    }
}
