import FirnLog
import FirnModel
import Foundation

/// The IDs that a save elsewhere touched.
struct RemoteChange: @unchecked Sendable {
    var inserted: [NSManagedObjectID] = []
    var updated: [NSManagedObjectID] = []
    var deleted: [NSManagedObjectID] = []
    var refreshed: [NSManagedObjectID] = []

    init(refreshed: [NSManagedObjectID]) { self.refreshed = refreshed }

    init(_ change: ObjectChange) {
        inserted = change.inserted.map(\.objectID)
        updated = change.updated.map(\.objectID)
        deleted = change.deleted.map(\.objectID)
        refreshed = change.refreshed.map(\.objectID)
    }

    init(_ records: [LogRecord], store: NSPersistentStore) {
        for record in records {
            if case .changes(let changeSet) = record.body { add(changeSet, store) }
        }
    }

    init(_ changeSet: ChangeSet, store: NSPersistentStore) { add(changeSet, store) }

    private mutating func add(_ changeSet: ChangeSet, _ store: NSPersistentStore) {
        for group in changeSet.groups {
            let ids = group.primaryKeys.compactMap {
                store.objectID(for: ObjectKey(entity: group.entity, primaryKey: $0))
            }
            switch group.operation {
            case .insert: inserted += ids
            case .update: updated += ids
            case .delete: deleted += ids
            case .refresh: refreshed += ids
            }
        }
    }
}

extension RemoteChange {
    /// From a notification's `userInfo`: objects, object IDs or URIs, under the keys for either.
    init(_ userInfo: [AnyHashable: Any], coordinator: NSPersistentStoreCoordinator?) {
        var ownStore: StoreIdentity?
        /// An ID of the same object that this coordinator gave; another one may have the store open too.
        func own(_ id: NSManagedObjectID) -> NSManagedObjectID? {
            // Nearly all are of the same store as the one before.
            if let ownStore, id.storeIdentity === ownStore { return id }
            guard let coordinator, let other = id.persistentStore?.persistentStoreCoordinator, other !== coordinator
            else {
                ownStore = id.storeIdentity
                return id
            }
            return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        }
        func ids(_ keys: String...) -> [NSManagedObjectID] {
            keys.flatMap { key -> [NSManagedObjectID] in
                let values: [Any]
                switch userInfo[key] {
                case let set as Set<NSManagedObject>: return set.compactMap { own($0.objectID) }.inKeyOrder()
                case let set as Set<NSManagedObjectID>: return set.compactMap(own).inKeyOrder()
                case let set as NSSet: values = set.allObjects
                case let array as [Any]: values = array
                default: return []
                }
                return values.compactMap { value in
                    switch value {
                    case let object as NSManagedObject: own(object.objectID)
                    case let id as NSManagedObjectID: own(id)
                    case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
                    default: nil
                    }
                }
            }
        }
        inserted = ids(NSInsertedObjectsKey, NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue)
        updated = ids(NSUpdatedObjectsKey, NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue)
        deleted = ids(NSDeletedObjectsKey, NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue)
        refreshed = ids(NSRefreshedObjectsKey, NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue)
    }
}

extension [NSManagedObjectID] {
    /// Fewer are near each other in memory in any order.
    private static var orderedCountMin: Int { 64 }
    /// How many keys there may be for each ID.
    private static var sparsenessMax: Int { 4 }

    /// In the order of their keys, if they are of one entity and their keys are near each other, as those of a large
    /// save mostly are: objects, rows and IDs then lie one behind the other in memory, in whatever order a set gave
    /// them. Else as they are. O(count).
    func inKeyOrder() -> [NSManagedObjectID] {
        guard count >= Self.orderedCountMin, let entity = first?.entityNumber else { return self }
        let keys = map { $0.primaryKey }
        guard let low = keys.min(), let high = keys.max(), low > 0, high - low < Int64(count * Self.sparsenessMax),
            allSatisfy({ $0.entityNumber == entity })
        else { return self }
        var places = [Int32](repeating: -1, count: Int(high - low) + 1)
        for (index, key) in keys.enumerated() { places[Int(key - low)] = Int32(index) }
        var ordered: [NSManagedObjectID] = []
        ordered.reserveCapacity(count)
        for place in places where place >= 0 { ordered.append(self[Int(place)]) }
        // The same key may be there twice, of two stores.
        return ordered.count == count ? ordered : self
    }
}
