import FirnFoundation
package import FirnLog
import FirnModel
package import Foundation

/// The answers of an incremental store, in the types that were asked for. Throws an error with the store's class and
/// what it should give.
package struct StoreAnswers {
    private unowned let store: AnyObject

    package init(_ store: AnyObject) { self.store = store }

    /// The members of an answer of any collection type.
    package static func list(_ value: Any) -> [Any] {
        switch value {
        case let list as [Any]: list
        case let list as NSArray: (0..<list.count).map { list.object(at: $0) }
        case let set as NSOrderedSet: set.array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let set as NSSet: set.allObjects
        case is NSNull: []
        default: [value]
        }
    }

    /// The key of an object that a fetch found.
    package func storedKey(_ value: Any) throws -> ObjectKey {
        let id = try id(value, of: "a fetch")
        guard !id.isTemporaryID, id.storeObject === store else {
            throw unexpected(id.uriRepresentation(), "a fetch", "objects that are in the store, or their IDs")
        }
        return ObjectKey(id)
    }

    package func count(_ found: [Any]) throws -> Int {
        if found.count == 1, let number = found[0] as? NSNumber { return number.intValue }
        if found.count == 1, let number = found[0] as? any BinaryInteger { return Int(number) }
        throw unexpected(found.first ?? found, "a count", "an array of one number")
    }

    package func dictionary(_ row: Any) throws -> NSDictionary {
        switch row {
        case let dictionary as NSDictionary: return dictionary
        case let values as [String: Any]: return NSDictionary(dictionary: values)
        default: throw unexpected(row, "a fetch of dictionaries", "a dictionary")
        }
    }

    /// The keys of the members of a relationship.
    package func keys(_ value: Any, of relationship: String) throws -> [ObjectKey] {
        try Self.list(value).map { ObjectKey(try id($0, of: relationship)) }
    }

    /// The ID of an object, or of one that has it.
    func id(_ value: Any, of what: String) throws -> NSManagedObjectID {
        let identity = (value as? any IdentityProviding)?.comparisonIdentity ?? value
        guard let id = identity as? NSManagedObjectID else { throw unexpected(value, what, "an object or its ID") }
        return id
    }

    private func unexpected(_ value: Any, _ asked: String, _ wanted: String) -> NSError {
        CoreDataError.make(
            .persistentStoreOperation,
            "\(type(of: store)) answered \(asked) with \(type(of: value)): give \(wanted)",
            [NSAffectedStoresErrorKey: [store]])
    }
}
