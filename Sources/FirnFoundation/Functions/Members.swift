import Foundation

/// The members of whatever counts as a collection in a predicate.
enum Members {
    /// The members of an array, a set, an ordered set, a dictionary (its values); nil where the value is no collection.
    static func of(_ value: Any) -> [Any]? {
        switch value {
        case let array as [Any]: array
        case let array as NSArray: Array(array)
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: Array(set)
        case let dictionary as NSDictionary: dictionary.allValues
        case let dictionary as [AnyHashable: Any]: Array(dictionary.values)
        case let set as Set<AnyHashable>: Array(set)
        default: foreign(value)
        }
    }

    private static func foreign(_ value: Any) -> [Any]? {
        guard !(value is String), !(value is Data), let collection = value as? any Collection else {
            return nil
        }
        return collection.map { $0 as Any }
    }
}
