import Foundation

/// The members of a collection of any of Swift's or Foundation's types; nil if the value is no collection.
///
/// Dictionaries give their values, as Apple's predicates see them.
package func collectionMembers(of value: Any?) -> [Any]? {
    guard let value else { return nil }
    if Swift.type(of: value) is AnyClass {
        switch value as AnyObject {
        case let array as NSArray: return array.map { $0 }
        case let set as NSSet: return set.map { $0 }
        case let set as NSOrderedSet: return set.map { $0 }
        case let dictionary as NSDictionary: return dictionary.allValues
        default: return nil
        }
    }
    switch value {
    case let array as [Any]: return array
    case let set as Set<AnyHashable>: return set.map(\.base)
    case let dictionary as [AnyHashable: Any]: return Array(dictionary.values)
    case let optional as any AnyOptional: return collectionMembers(of: optional.unwrapped)
    default: return nil
    }
}

/// The number of members without copying them; nil if the value is no collection.
package func collectionCount(of value: Any?) -> Int? {
    guard let value else { return nil }
    if Swift.type(of: value) is AnyClass {
        switch value as AnyObject {
        case let array as NSArray: return array.count
        case let set as NSSet: return set.count
        case let set as NSOrderedSet: return set.count
        case let dictionary as NSDictionary: return dictionary.count
        default: return nil
        }
    }
    if let array = value as? [Any] { return array.count }
    return collectionMembers(of: value)?.count
}

/// The values without duplicates, in the order of their first occurrence.
///
/// `NSOrderedSet(array:)` is not used, because its array keeps duplicates on Linux.
package func distinctMembers(_ values: [Any]) -> [Any] {
    var seen: Set<MemberKey> = []
    return values.filter { seen.insert(MemberKey($0)).inserted }
}
