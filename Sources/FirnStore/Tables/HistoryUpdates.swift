import Dispatch
import Synchronization

/// Brings the history tables up to date after each commit of the tables, on a queue of its own: a first time may take
/// long, and no save waits for it.
package final class HistoryUpdates: Sendable {
    private let queue = DispatchQueue(label: "firn.history", qos: .utility)
    /// Whether an update is to begin that will see everything committed by now.
    private let isScheduled = Atomic(false)

    private struct Action: Sendable {
        var update: (@Sendable () throws -> Void)?
    }

    private let action = Mutex(Action())

    package init() {}

    /// Brings the tables up to date. An error shows again at the next read of the past.
    package func setUpdate(_ update: (@Sendable () throws -> Void)?) { action.withLock { $0.update = update } }

    /// Has the tables brought up to date soon.
    package func schedule() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            isScheduled.store(false, ordering: .releasing)
            let update = action.withLock { $0.update }
            try? update?()
        }
    }

    /// Returns when what was scheduled is done. Nothing is done afterwards.
    package func finish() {
        queue.sync {}
        setUpdate(nil)
    }
}
