#if SwiftData
import Firn
import FirnRuntime
import Foundation
import Synchronization

/// The contexts of a container, which see each other's saves, and those of other stacks and processes.
///
/// A context belongs to no queue that it could be called on. What others saved waits here until the context's owner
/// uses it next.
final class SiblingContexts: Sendable {
    /// What waits for a context.
    final class Inbox: Sendable {
        private let changes = Mutex<[Transferred<[AnyHashable: Any]>]>([])

        fileprivate func add(_ change: [AnyHashable: Any]) {
            let change = Transferred(change)
            changes.withLock { $0.append(change) }
        }

        /// What others saved since this was last asked, in their order.
        func removeAll() -> [[AnyHashable: Any]] {
            changes.withLock { changes in
                defer { changes = [] }
                return changes.map(\.value)
            }
        }

        var isEmpty: Bool { changes.withLock { $0.isEmpty } }
    }

    private struct Member: Sendable {
        let id: ObjectIdentifier
        let inbox: WeakReference<Inbox>
        let wake: @Sendable () -> Void
    }

    private let members = Mutex<[Member]>([])
    private let observers = Mutex<[Transferred<any NSObjectProtocol>]>([])

    deinit {
        for observer in observers.withLock({ $0 }) { NotificationCenter.default.removeObserver(observer.value) }
    }

    /// Adds a context. `wake` is called, on any thread, when there is something in its inbox.
    func add(_ context: NSManagedObjectContext, _ inbox: Inbox, wake: @escaping @Sendable () -> Void) {
        let member = Member(id: ObjectIdentifier(context), inbox: WeakReference(inbox), wake: wake)
        members.withLock { members in
            members.removeAll { $0.inbox.object == nil }
            members.append(member)
        }
    }

    /// Follows the saves of all contexts of a coordinator, and what other processes save.
    func follow(_ coordinator: NSPersistentStoreCoordinator) {
        let weak = WeakReference(coordinator)
        let saves = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { [weak self] note in
            guard let context = note.object as? NSManagedObjectContext,
                context.persistentStoreCoordinator === weak.object, weak.object != nil
            else { return }
            self?.distribute(Self.identifiers(note), from: ObjectIdentifier(context))
        }
        observers.withLock { $0 = [Transferred(saves)] }
    }

    /// Puts a change into every inbox but that of the context that made it.
    func distribute(_ change: [AnyHashable: Any], from sender: ObjectIdentifier?) {
        if change.isEmpty { return }
        let others = members.withLock { $0.filter { $0.id != sender } }
        for member in others {
            guard let inbox = member.inbox.object else { continue }
            inbox.add(change)
            member.wake()
        }
    }

    private static func identifiers(_ note: Notification) -> [AnyHashable: Any] {
        var change: [AnyHashable: Any] = [:]
        for (objects, ids) in [
            (NSInsertedObjectsKey, NSInsertedObjectIDsKey), (NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
            (NSDeletedObjectsKey, NSDeletedObjectIDsKey),
        ] {
            if let set = note.userInfo?[objects] as? Set<NSManagedObject>, !set.isEmpty {
                change[objects] = set.map(\.objectID)
            }
            _ = ids
        }
        return change
    }
}
#endif
