#if SwiftData
import Firn
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
        for arrival in inbox.removeAll() {
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
        }
        managed.processPendingChanges()
    }

    private func remoteChange(of arrival: SiblingContexts.Arrival) -> RemoteChange {
        switch arrival {
        case .change(let change): return change
        case .historyGap(let store):
            let ids = managed.registeredObjects.map(\.objectID)
            return RemoteChange(refreshed: ids.filter { !$0.isTemporaryID && $0.storeIdentifier == store })
        }
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
