#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation

/// Merging what other contexts, stacks and processes save.
extension ModelContext {
    /// Looks for what others saved by now, and merges it. What the context was to save by itself is saved first.
    final func catchUp() {
        if isSaving { return }
        if autosave.isOverdue { saveByItself() }
        coordinator.followRemoteRecords()
        mergeArrived()
    }

    /// Merges what others saved, as far as it is known here. Observers of the models are notified.
    final func mergeArrived() {
        if inbox.isEmpty || isSaving { return }
        let arrivals = inbox.removeAll()
        let relationships = arrivals.contains(where: \.concernsRelationships) ? ReadRelationships(of: self) : nil
        defer { relationships?.notifyOfChanges() }
        for arrival in arrivals {
            let change = remoteChange(of: arrival)
            // Models that others deleted: their last values stay readable. All are read first: one leads to another.
            let leaving = change.deleted.compactMap(registeredObject(for:)).filter { !$0.isFault }
            for model in leaving.flatMap(\.models) { model.storage.captureValues() }
            let observed = ObservedValues((change.updated + change.refreshed).lazy.compactMap(registeredObject(for:)))
            managed.merge(change)
            // Another save may have written an object again since.
            for object in leaving {
                for model in object.models { model.storage.endCapture(isDetached: object.isDeleted) }
            }
            observed.notifyOfChanges()
            if case .historyGap = arrival { NotificationCenter.default.post(name: Self.historyGap, object: managed) }
        }
        managed.processPendingChanges()
    }

    /// Posted by a context that merged more than can be said: what it does not hold may have changed, too.
    static let historyGap = Notification.Name("ModelContext.historyGap")

    private func remoteChange(of arrival: SiblingContexts.Arrival) -> RemoteChange {
        switch arrival {
        case .change(let change): return change
        case .historyGap(let store):
            let ids = managed.registeredObjects.map(\.objectID)
                .filter { !$0.isTemporaryID && $0.storeIdentifier == store }
            // A data store of one's own tells what it has by itself.
            let isOwn = !container.adapters.contains { $0.identifier == store }
            guard isOwn, let saved = try? savedIDs(among: ids) else { return RemoteChange(refreshed: ids) }
            return RemoteChange(updated: ids.filter(saved.contains), deleted: ids.filter { !saved.contains($0) })
        }
    }

    /// The IDs of objects that the stores have.
    private func savedIDs(among ids: [NSManagedObjectID]) throws -> Set<NSManagedObjectID> {
        var saved: Set<NSManagedObjectID> = []
        for (name, ids) in Dictionary(grouping: ids, by: { $0.entity.name ?? "" }) {
            // SQLite takes 32,766 values in a statement.
            for start in stride(from: 0, to: ids.count, by: 10_000) {
                let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
                request.predicate = NSPredicate(
                    format: "SELF IN %@", Array(ids[start..<min(start + 10_000, ids.count)]) as NSArray)
                request.resultType = .managedObjectIDResultType
                request.includesPendingChanges = false
                saved.formUnion(try managed.fetch(request))
            }
        }
        return saved
    }

    private func registeredObject(for id: NSManagedObjectID) -> ModelObject? {
        managed.registeredObject(for: id) as? ModelObject
    }

    /// A context that saves by itself, or that observers follow, merges at once if it is known where its owner works.
    final func updateFollowing() {
        handle.isFollowing = autosave.isOn || observerCount > 0
        if !inbox.isEmpty { handle.changesArrived() }
    }

    /// Says where the context is used from now on.
    final func setOwner(_ owner: ContextOwner) {
        handle.owner = owner
        isProcessingQueued = false
        autosave.ownerDidChange()
        updateFollowing()
    }

    /// Something changed: a context that saves by itself will, and observers will hear of it.
    final func scheduleSave() {
        if autosave.isOn { autosave.scheduleSave() }
        if observerCount > 0 { schedulePendingChanges() }
    }

    private func schedulePendingChanges() {
        guard !isProcessingQueued, handle.owner.isKnown else { return }
        isProcessingQueued = true
        handle.run { context in
            context.isProcessingQueued = false
            context.managed.processPendingChanges()
        }
    }
}
#endif
