import FirnModel
import Foundation

/// Taking over what others saved.
extension NSManagedObjectContext {
    func mergeSave(_ notification: Notification) {
        let sender = notification.object as? NSManagedObjectContext
        if sender?.persistentStoreCoordinator !== persistentStoreCoordinator {
            persistentStoreCoordinator?.noticeForeignRecords()
        }
        merge(RemoteChange(notification.userInfo ?? [:], coordinator: persistentStoreCoordinator))
    }

    /// A context comes after its parent, whatever their order in `contexts`.
    static func mergeRemoteSave(_ changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
        for coordinator in Set(contexts.compactMap(\.persistentStoreCoordinator)) { coordinator.noticeForeignRecords() }
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            nonisolated(unsafe) let data = changeNotificationData
            context.performAndWait {
                context.merge(RemoteChange(data, coordinator: context.persistentStoreCoordinator))
            }
        }
    }

    /// Merges on the context's own queue, as soon as it is free.
    func mergeLater(_ change: RemoteChange) {
        queue.async { [reference = FadingReference(self)] in
            guard let context = reference.object else { return }
            context.merge(change)
            for follower in context.persistentStoreCoordinator?.followers ?? [] where follower.parent === context {
                follower.mergeLater(change)
            }
        }
    }

    /// As `mergeLater`, with every object of a store that the context has.
    func mergeAllLater(of store: NSPersistentStore) {
        queue.async { [reference = FadingReference(self)] in
            guard let context = reference.object else { return }
            let ids = context.registeredObjects.map(\.objectID).filter { $0.persistentStore === store }
            context.merge(RemoteChange(refreshed: ids))
        }
    }

    /// How many contexts are above this one.
    private var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    func merge(_ change: RemoteChange) {
        checkQueue()
        advancePinToCurrent()
        // What was done here before is an event of its own, which can be undone.
        processPendingChanges()
        var inserted: [NSManagedObjectID] = []
        for id in change.inserted where !id.isTemporaryID {
            let object = object(with: id)
            if object.state.contains(.inserted) { continue }
            if object.state.contains(.vanished) { reviveAsFault(object) }
            pending.inserted.insert(object)
            inserted.append(id)
            mergeInserted(object)
        }
        for id in change.updated { mergeUpdated(id) }
        for id in change.refreshed { mergeUpdated(id) }
        for id in change.deleted { mergeDeleted(id) }
        processPendingChangesWithoutUndo()
        var userInfo: [AnyHashable: Any] = [:]
        func put(_ key: NotificationKey, _ ids: Set<NSManagedObjectID>) {
            if !ids.isEmpty { userInfo[key.rawValue] = ids }
        }
        let updated = Set(roomy: change.updated)
        put(.insertedObjectIDs, Set(roomy: inserted))
        put(.updatedObjectIDs, updated)
        put(.deletedObjectIDs, Set(roomy: change.deleted))
        put(.refreshedObjectIDs, change.refreshed.isEmpty ? updated : updated.union(change.refreshed))
        if !userInfo.isEmpty { post(.NSManagedObjectContextDidMergeChangesObjectIDs, userInfo) }
    }

    /// What a child knows of an object that was new in its parent is from before the parent's save.
    private func mergeInserted(_ object: NSManagedObject) {
        guard let known = object.snapshot, let snapshot = snapshot(for: object), snapshot.version != known.version
        else { return }
        object.rebase(onto: snapshot)
        reachAgain(object)
        pending.refreshed.insert(object)
    }

    /// What others related to an object that is deleted here is reached by its delete rules too.
    private func reachAgain(_ object: NSManagedObject) {
        if object.state.contains(.deleted) { pending.undispatchedDeletes.append(object) }
    }

    private func mergeUpdated(_ id: NSManagedObjectID) {
        guard let object = registeredObject(for: id) else { return }
        object.hints = nil
        if object.isFault { return }
        guard let snapshot = snapshot(for: object) else { return mergeDeleted(id) }
        object.rebase(onto: snapshot)
        reachAgain(object)
        pending.refreshed.insert(object)
    }

    private func mergeDeleted(_ id: NSManagedObjectID) {
        guard let object = registeredObject(for: id) else { return }
        // Another save may have written the object again after the deletion that is told of.
        if object.snapshot != nil, isThereAgain(object) { return mergeUpdated(id) }
        sever(object)
        updated.remove(object)
        deleted.remove(object)
        pending.updated.remove(object)
        object.state.insert(.vanished)
        pending.deleted.insert(object)
    }

    /// Whether the source has a row of an object that was deleted. Asks the store itself only where changes are at
    /// stake: an object without any becomes a fault when its new insertion is told of.
    private func isThereAgain(_ object: NSManagedObject) -> Bool {
        guard let source else { return false }
        if source.holds(object.identity) { return true }
        return object.hasChanges && hasRow(object)
    }

    func hasRow(_ object: NSManagedObject) -> Bool {
        if object.key.primaryKey < 0 { return false }
        return ((try? source?.snapshot(of: object, maximumAge: -1)) ?? nil) != nil
    }

    /// An object that was deleted is in its store again, written by a save that won over the deletion.
    func reviveAsFault(_ object: NSManagedObject) {
        object.state.subtract([.vanished, .notUndone])
        pending.deleted.remove(object)
        object.turnIntoFault()
        // What was found to be gone when it was read has not even a row.
        if object.snapshot == nil { object.state.insert(.fault) }
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
                case let set as Set<NSManagedObject>: return set.compactMap { own($0.objectID) }
                case let set as Set<NSManagedObjectID>: return set.compactMap(own)
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
