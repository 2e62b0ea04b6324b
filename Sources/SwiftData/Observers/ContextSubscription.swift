#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation

/// Calls a block, where the owner of a context works, after changes that may matter to a fetch: in the context, or
/// merged into it.
final class ContextSubscription {
    private let context: ModelContext
    private var observers: [any NSObjectProtocol] = []
    /// The entities whose objects may matter.
    var entities: Set<String> = []
    /// Whether only what is saved matters.
    var waitsForSaves = false
    private let changed: () -> Void

    init(_ context: ModelContext, _ changed: @escaping () -> Void) {
        self.context = context
        self.changed = changed
        observe(.NSManagedObjectContextObjectsDidChange) { subscription, info in
            subscription.objectsDidChange(info)
        }
        observe(.NSManagedObjectContextDidMergeChangesObjectIDs) { subscription, info in subscription.didMerge(info) }
        observe(.NSManagedObjectContextDidSave) { subscription, info in
            if subscription.waitsForSaves { subscription.objectsDidChange(info) }
        }
        observe(ModelContext.historyGap) { subscription, _ in subscription.changed() }
        context.observerCount += 1
        context.updateFollowing()
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        context.observerCount -= 1
        context.updateFollowing()
    }

    private func observe(
        _ name: Notification.Name, _ body: @escaping (ContextSubscription, [AnyHashable: Any]) -> Void
    ) {
        // Posted where the owner works, who has this too.
        let target = Transferred(Receiver(self))
        let handler = Transferred(body)
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: context.managed, queue: nil) { note in
                if let subscription = target.value.subscription { handler.value(subscription, note.userInfo ?? [:]) }
            })
    }

    private final class Receiver {
        weak var subscription: ContextSubscription?

        init(_ subscription: ContextSubscription) { self.subscription = subscription }
    }

    private func objectsDidChange(_ info: [AnyHashable: Any]) {
        if info[NSInvalidatedAllObjectsKey] != nil { return changed() }
        let keys = [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey,
        ]
        let matters = keys.contains { key in
            (info[key] as? Set<NSManagedObject> ?? []).contains { entities.contains($0.entity.name ?? "") }
        }
        if matters { changed() }
    }

    /// A merge says of changed objects that the context does not hold, too.
    private func didMerge(_ info: [AnyHashable: Any]) {
        let matters = info.values.contains { value in
            (value as? Set<NSManagedObjectID> ?? []).contains { entities.contains($0.entity.name ?? "") }
        }
        if matters { changed() }
    }
}
#endif
