import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// Taking over what others saved.
extension NSManagedObjectContext {
    func mergeSave(_ notification: Notification) {
        let sender = notification.object as? NSManagedObjectContext
        if sender?.persistentStoreCoordinator !== persistentStoreCoordinator {
            persistentStoreCoordinator?.followRemoteRecords()
        }
        merge(RemoteChange(notification.userInfo ?? [:], coordinator: persistentStoreCoordinator))
    }

    /// A context comes after its parent, whatever their order in `contexts`.
    static func mergeRemoteSave(_ changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
        for coordinator in Set(contexts.compactMap(\.persistentStoreCoordinator)) { coordinator.followRemoteRecords() }
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            let data = Transferred(changeNotificationData)
            context.performAndWait {
                let change = RemoteChange(data.value, coordinator: context.persistentStoreCoordinator)
                context.merge(change, findsSurvivors: true)
            }
        }
    }

    /// Merges on the context's own queue, as soon as it is free, or before a fetch on the main queue.
    func mergeLater(_ change: RemoteChange) {
        awaitedMerges.withLock { $0.append(change) }
        queue.async { [reference = WeakReference(self)] in reference.object?.mergeAwaited() }
    }

    /// Merges all that waits, to be called on the context's queue.
    func mergeAwaited() {
        var changes: [RemoteChange] = []
        awaitedMerges.withLock { swap(&$0, &changes) }
        for change in changes {
            merge(change)
            // A block on a private queue is an event. On the main queue its turn is one.
            if concurrencyType == .privateQueueConcurrencyType { processPendingChanges() }
            for follower in persistentStoreCoordinator?.followers ?? [] where follower.parent === self {
                follower.mergeLater(change)
            }
        }
    }

    /// As `mergeLater`, with every object of a store that the context has.
    func mergeAllLater(of store: NSPersistentStore) {
        let store = Transferred(store)
        queue.async { [reference = WeakReference(self)] in
            guard let context = reference.object else { return }
            let ids = context.registeredObjects.map(\.objectID).filter { $0.persistentStore === store.value }
            context.merge(RemoteChange(refreshed: ids))
        }
    }

    /// How many contexts are above this one.
    private var depth: Int { parent.map { $0.depth + 1 } ?? 0 }

    /// Puts what a save elsewhere left under what is unsaved here. On the context's queue. `findsSurvivors` if it may
    /// be a batch deletion, of which nothing is told but the deleted objects.
    package func merge(_ told: RemoteChange, findsSurvivors: Bool = false) {
        checkQueue()
        advancePinToCurrent()
        // What was done here before is an event of its own, which can be undone.
        processPendingChanges()
        var change = told
        if findsSurvivors, !told.deleted.isEmpty, told.updated.isEmpty, told.refreshed.isEmpty {
            change.refreshed = survivors(of: told.deleted)
        }
        var inserted: [NSManagedObjectID] = []
        var insertions: [NSManagedObject] = []
        for id in change.inserted where !id.current.isTemporaryID || isKnownStored(id) {
            let object = object(with: id)
            if object.state.contains(.inserted) { continue }
            if object.state.contains(.deletedRemotely) { reviveAsFault(object) }
            pending.inserted.insert(object)
            inserted.append(object.identity)
            insertions.append(object)
            mergeInserted(object)
        }
        mergeUpdated(change.updated)
        mergeUpdated(change.refreshed)
        mergeDeleted(change.deleted)
        severAll(pending.deleted.objects.filter { $0.state.contains(.deletedRemotely) })
        processPendingChangesWithoutUndo()
        if !insertions.isEmpty {
            mergedInsertions += insertions
            scheduleFlush()
        }
        var userInfo: [AnyHashable: Any] = [:]
        func put(_ key: NotificationKey, _ ids: Set<NSManagedObjectID>) {
            if !ids.isEmpty { userInfo[key.rawValue] = ids }
        }
        let updated = change.updatedSet ?? Set(sizedFor: change.updated)
        let isWhole = inserted == change.inserted
        put(.insertedObjectIDs, isWhole ? change.insertedSet ?? Set(sizedFor: inserted) : Set(sizedFor: inserted))
        put(.updatedObjectIDs, updated)
        put(.deletedObjectIDs, change.deletedSet ?? Set(sizedFor: change.deleted))
        put(.refreshedObjectIDs, change.refreshed.isEmpty ? updated : updated.union(change.refreshed))
        if !userInfo.isEmpty { post(.NSManagedObjectContextDidMergeChangesObjectIDs, userInfo) }
    }

    /// The objects whose rows a batch deletion changed because they were related to what it deleted, in either way. One
    /// with changes is among them if its row has no other difference, else it is in conflict. O(registered objects).
    private func survivors(of deleted: [NSManagedObjectID]) -> [NSManagedObjectID] {
        let gone = Set(deleted.map(\.key))
        let held = registry.objects.filter { !$0.isFault && $0.snapshot != nil && !$0.isDeleted }
        return zip(held, snapshots(for: held)).compactMap { object, row in
            guard let row, let known = object.snapshot, row.version != known.version else { return nil }
            let isAlike = !object.hasChanges || object.layout.storedSlots.allSatisfy { slot in
                if case .reference(let key) = known.value(slot), gone.contains(key) { return true }
                return known.value(slot) == row.value(slot)
            }
            return isAlike ? object.identity : nil
        }
    }

    /// Merges the insertion of an object that a child knows already, since it was new in the parent. As long as no
    /// store has the object, all its rows are of one version.
    private func mergeInserted(_ object: NSManagedObject) {
        guard let known = object.snapshot, let snapshot = snapshot(for: object),
            parent != nil || snapshot.version != known.version
        else { return }
        object.rebase(onto: snapshot)
        requeue(object)
        pending.refreshed.insert(object)
    }

    /// Queues a deleted object again, so that its delete rules reach objects which others related to it.
    private func requeue(_ object: NSManagedObject) {
        if object.state.contains(.deleted) { pending.undispatchedDeletes.append(object) }
    }

    private func mergeUpdated(_ ids: [NSManagedObjectID]) { ids.forEachMerged { rebase(heldObjects($0)) } }

    /// The objects with these IDs that are here with their values. New ones stay: a child tells what it saved of them.
    /// One that is back after a deletion becomes a fault.
    private func heldObjects(_ ids: ArraySlice<NSManagedObjectID>) -> [NSManagedObject] {
        var held: [NSManagedObject] = []
        held.reserveCapacity(ids.count)
        // Nearly all are of the same store as the one before.
        var (identity, pages): (StoreIdentity?, RegistryPages?)
        for id in ids {
            if id.storeIdentity !== identity {
                identity = id.storeIdentity
                pages = parent == nil ? identity.flatMap { registry.place(of: $0)?.pages } : nil
            }
            let known: NSManagedObject?
            if let pages, !id.isTemporaryID {
                known = pages.object(for: id.key)
            } else {
                known = registeredObject(for: id)
            }
            guard let object = known else { continue }
            // The deletion was undone above this context, or lost to another save.
            if object.state.contains(.deletedRemotely), hasRow(object) {
                reviveAsFault(object)
                pending.inserted.insert(object)
                continue
            }
            if object.hints != nil { object.hints = nil }
            if !object.isFault, !object.state.contains(.inserted) { held.append(object) }
        }
        return held
    }

    /// Puts the rows that the source has now under what is unsaved here.
    private func rebase(_ objects: [NSManagedObject]) {
        let rows = snapshots(for: objects)
        for (object, row) in zip(objects, rows) {
            // What became of the ones before may have reached this one.
            if object.isFault { continue }
            guard let row else {
                removeDeleted(object)
                continue
            }
            object.rebase(onto: row)
            requeue(object)
            pending.refreshed.insert(object)
        }
    }

    /// Another save may have written an object again after the deletion that is told of.
    private func mergeDeleted(_ ids: [NSManagedObjectID]) {
        ids.forEachMerged { ids in
            let known = ids.compactMap(registeredObject(for:)).filter { !$0.state.contains(.inserted) }
            rebase(known.filter { $0.snapshot != nil })
            for object in known where object.snapshot == nil {
                if object.store?.tables == nil || !hasRow(object) { removeDeleted(object) }
            }
        }
    }

    func hasRow(_ object: NSManagedObject) -> Bool { (try? storedRow(of: object, maximumAge: -1)) ?? nil != nil }

    /// An object that was deleted is in its store again, written by a save that won over the deletion.
    func reviveAsFault(_ object: NSManagedObject) {
        object.state.subtract([.deletedRemotely, .notUndone])
        pending.deleted.remove(object)
        object.turnIntoFault()
        // What was found to be gone when it was read has not even a row.
        if object.snapshot == nil { object.state.insert(.fault) }
    }
}

extension [NSManagedObjectID] {
    /// Calls `body` with as many as are merged in one go: their rows are found together, while the objects are near.
    fileprivate func forEachMerged(_ body: (ArraySlice<NSManagedObjectID>) -> Void) {
        for start in stride(from: 0, to: count, by: 256) { body(self[start..<Swift.min(start + 256, count)]) }
    }
}
