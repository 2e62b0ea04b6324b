public import FirnStore
import FirnModel
import Foundation
import Synchronization

extension NSFetchedResultsController {
    /// The content now, if it was fetched, and then after every change. Ours, not Apple's.
    ///
    ///     try controller.performFetch()
    ///     for await snapshot in controller.snapshots() { show(snapshot.objectIDs) }
    ///
    /// A listener that is slower than the changes misses those in between, never the last. To be called on the
    /// context's queue; the stream may be listened to anywhere, and ends with the controller. A snapshot is O(n).
    public func snapshots() -> AsyncStream<ResultsSnapshot> {
        tracker.snapshots()
    }
}

extension ResultsTracker {
    func snapshots() -> AsyncStream<ResultsSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ResultsSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            let number = (listeners.keys.max() ?? 0) + 1
            listeners[number] = continuation
            return number
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.removeValue(forKey: number) }
        }
        if let list { continuation.yield(list.snapshot) }
        return stream
    }

    func notifyListeners() {
        let listening = listeners.withLock { Array($0.values) }
        guard !listening.isEmpty, let snapshot = list?.snapshot else { return }
        for listener in listening { listener.yield(snapshot) }
    }
}

extension ResultsList {
    fileprivate var snapshot: ResultsSnapshot {
        ResultsSnapshot(
            sections: sections.map { section in
                var ids: [NSManagedObjectID] = []
                section.entries.forEach { entry in if let id = entry.object?.objectID { ids.append(id) } }
                return .init(name: section.name, objectIDs: ids)
            })
    }
}
