#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// The contexts of a container, which see each other's saves, and those of other stacks and processes.
///
/// A context belongs to no queue that it could be called on. What others saved waits here until the context's owner
/// uses it next.
final class SiblingContexts: Sendable {
    /// A change of a store by others.
    enum Arrival: Sendable {
        case change(RemoteChange)
        /// More than can be said: anything of the store may have changed.
        case historyGap(storeIdentifier: String)

        /// Counts the objects that it is about. A save itself counts as a hundred.
        fileprivate var count: Int { objectIDs.reduce(100) { $0 + $1.count } }

        /// Whether an object that it is about may have relationships.
        var concernsRelationships: Bool {
            if case .historyGap = self { return true }
            return objectIDs.joined().contains { !$0.entity.relationshipsByName.isEmpty }
        }

        fileprivate var storeIdentifiers: Set<String> {
            if case .historyGap(let store) = self { return [store] }
            return Set(objectIDs.joined().compactMap(\.storeIdentifier))
        }

        private var objectIDs: [[NSManagedObjectID]] {
            guard case .change(let change) = self else { return [] }
            return [change.inserted, change.updated, change.deleted, change.refreshed]
        }
    }

    /// The changes that wait for a context.
    final class Inbox: Sendable {
        private struct Waiting: Sendable {
            var arrivals: [Arrival] = []
            var count = 0
            /// The stores that are compared as a whole: what else arrives of them says no more.
            var gaps: Set<String> = []
        }

        private let waiting = Mutex(Waiting())
        /// How many objects may wait. If more do, the context compares all that it has with the stores, once.
        private static let waitingCountMax = 100_000

        fileprivate func add(_ arrival: Arrival) {
            waiting.withLock { waiting in
                if !waiting.gaps.isEmpty, arrival.storeIdentifiers.isSubset(of: waiting.gaps) { return }
                waiting.arrivals.append(arrival)
                waiting.count += arrival.count
                guard waiting.count > Self.waitingCountMax else { return }
                waiting.gaps = waiting.arrivals.reduce(into: Set()) { $0.formUnion($1.storeIdentifiers) }
                waiting.arrivals = waiting.gaps.map { .historyGap(storeIdentifier: $0) }
                waiting.count = 0
            }
        }

        /// Returns the saves of others since this was last asked, in their order.
        func removeAll() -> [Arrival] {
            waiting.withLock { waiting in
                defer { waiting = Waiting() }
                return waiting.arrivals
            }
        }

        var isEmpty: Bool { waiting.withLock { $0.arrivals.isEmpty } }
    }

    private struct Member: Sendable {
        let id: ObjectIdentifier
        let inbox: WeakReference<Inbox>
        let wake: @Sendable () -> Void
    }

    private let members = Mutex<[Member]>([])

    /// Adds a context. `wake` is called, on any thread, when there is something in its inbox.
    func add(_ context: NSManagedObjectContext, _ inbox: Inbox, wake: @escaping @Sendable () -> Void) {
        let member = Member(id: ObjectIdentifier(context), inbox: WeakReference(inbox), wake: wake)
        members.withLock { members in
            members.removeAll { $0.inbox.object == nil }
            members.append(member)
        }
    }

    /// Follows the saves of all contexts of a coordinator, batch requests, and what other processes save.
    func follow(_ coordinator: NSPersistentStoreCoordinator) {
        coordinator.saveObserver = SaveObserver { [weak self] context, change in
            guard let others = self?.members(without: context.map { ObjectIdentifier($0) }), !others.isEmpty
            else { return }
            Self.distribute(.change(change()), to: others)
        } historyGap: { [weak self] store in
            guard let self else { return }
            Self.distribute(.historyGap(storeIdentifier: store.identifier), to: members(without: nil))
        }
    }

    /// Puts what a store has otherwise than before into every inbox.
    func distribute(_ change: RemoteChange) { Self.distribute(.change(change), to: members(without: nil)) }

    private func members(without sender: ObjectIdentifier?) -> [Member] {
        members.withLock { $0.filter { $0.id != sender && $0.inbox.object != nil } }
    }

    private static func distribute(_ arrival: Arrival, to members: [Member]) {
        for member in members {
            guard let inbox = member.inbox.object else { continue }
            inbox.add(arrival)
            member.wake()
        }
    }
}
#endif
