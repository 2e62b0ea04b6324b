import FirnLog
package import FirnModel
import FirnRuntime
import FirnStore
import Foundation

/// The IDs that a save elsewhere touched.
package struct RemoteChange: Sendable {
    package private(set) var inserted: [NSManagedObjectID] = []
    package private(set) var updated: [NSManagedObjectID] = []
    package private(set) var deleted: [NSManagedObjectID] = []
    package var refreshed: [NSManagedObjectID] = []
    /// The sets of the same IDs, of those lists of which somebody has one.
    private(set) var insertedSet: Set<NSManagedObjectID>?
    private(set) var updatedSet: Set<NSManagedObjectID>?
    private(set) var deletedSet: Set<NSManagedObjectID>?

    package init(refreshed: [NSManagedObjectID]) { self.refreshed = refreshed }

    package init(updated: [NSManagedObjectID], deleted: [NSManagedObjectID]) {
        self.updated = updated
        self.deleted = deleted
    }

    /// With the `userInfo` that tells of the same by IDs.
    init(_ change: ObjectChange, _ userInfo: [AnyHashable: Any]) {
        inserted = change.inserted.map(\.objectID)
        updated = change.updated.map(\.objectID)
        deleted = change.deleted.map(\.objectID)
        refreshed = change.refreshed.map(\.objectID)
        insertedSet = userInfo.ids(.insertedObjectIDs)
        updatedSet = userInfo.ids(.updatedObjectIDs)
        deletedSet = userInfo.ids(.deletedObjectIDs)
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
        var reader = UserInfoReader(userInfo, coordinator)
        (inserted, insertedSet) = reader.ids(NSInsertedObjectsKey, .insertedObjectIDs)
        (updated, updatedSet) = reader.ids(NSUpdatedObjectsKey, .updatedObjectIDs)
        (deleted, deletedSet) = reader.ids(NSDeletedObjectsKey, .deletedObjectIDs)
        (refreshed, _) = reader.ids(NSRefreshedObjectsKey, .refreshedObjectIDs)
    }
}

/// Takes the IDs out of a notification's `userInfo`.
private struct UserInfoReader {
    private let userInfo: [AnyHashable: Any]
    private let coordinator: NSPersistentStoreCoordinator?
    /// The store of the last ID that was as this coordinator gives it.
    private var ownStore: StoreIdentity?
    /// Whether an ID was replaced.
    private var hasRemote = false

    /// IDs in the order in which to merge them, and the set of them where there is one.
    typealias Identities = (list: [NSManagedObjectID], set: Set<NSManagedObjectID>?)

    init(_ userInfo: [AnyHashable: Any], _ coordinator: NSPersistentStoreCoordinator?) {
        self.userInfo = userInfo
        self.coordinator = coordinator
    }

    mutating func ids(_ objects: String, _ ids: NSManagedObjectContext.NotificationKey) -> Identities {
        let (first, second) = (self.ids(under: objects), self.ids(under: ids.rawValue))
        if second.list.isEmpty { return first }
        return first.list.isEmpty ? second : (first.list + second.list, nil)
    }

    private mutating func ids(under key: String) -> Identities {
        hasRemote = false
        switch userInfo[key] {
        case let set as Set<NSManagedObject>: return (set.compactMap { own($0.objectID) }.inKeyOrder(), nil)
        case let set as Set<NSManagedObjectID>:
            let ids = set.compactMap { own($0) }
            return (ids.inKeyOrder(), hasRemote ? nil : set)
        case let set as NSSet: return (set.allObjects.compactMap { id(of: $0) }, nil)
        case let array as [Any]: return (array.compactMap { id(of: $0) }, nil)
        default: return ([], nil)
        }
    }

    private mutating func id(of value: Any) -> NSManagedObjectID? {
        switch value {
        case let object as NSManagedObject: own(object.objectID)
        case let id as NSManagedObjectID: own(id)
        case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
        default: nil
        }
    }

    /// An ID of the same object that this coordinator gave; another one may have the store open too.
    @inline(__always)
    private mutating func own(_ id: NSManagedObjectID) -> NSManagedObjectID? {
        // Nearly all are of the same store as the one before.
        if let ownStore, id.storeIdentity === ownStore { return id }
        return look(id.current)
    }

    private mutating func look(_ id: NSManagedObjectID) -> NSManagedObjectID? {
        guard let coordinator, let other = id.persistentStore?.persistentStoreCoordinator, other !== coordinator
        else {
            ownStore = id.storeIdentity
            return id
        }
        hasRemote = true
        return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
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

/// Hears of every save to a coordinator's stores: of its own contexts, of batch requests, of other coordinators and of
/// other processes. Called on the thread that saved, or that noticed what another one saved.
package struct SaveObserver: Sendable {
    /// The context that saved, nil for a batch request and for others; and what was saved, made when it is called.
    package typealias DidSave = @Sendable (_ context: NSManagedObjectContext?, _ change: () -> RemoteChange) -> Void

    let didSaveHandler: DidSave
    let historyGapHandler: @Sendable (NSPersistentStore) -> Void

    /// `historyGap` is called when others wrote more than can be said: anything of the store may have changed.
    package init(didSave: @escaping DidSave, historyGap: @escaping @Sendable (NSPersistentStore) -> Void) {
        didSaveHandler = didSave
        historyGapHandler = historyGap
    }

    func didSave(_ context: NSManagedObjectContext?, _ change: () -> RemoteChange) { didSaveHandler(context, change) }
    func historyGap(of store: NSPersistentStore) { historyGapHandler(store) }
}
