public import FirnModel
import FirnProjection
import FirnRuntime
import Foundation
import Synchronization

/// Fetching without blocking the caller.
extension NSManagedObjectContext {
    /// Returns the request's results, read outside of the context's queue. Ours, not Apple's.
    ///
    /// Cancelling the task cancels the fetch, which then throws `NSUserCancelledError`. Objects belong to the context's
    /// queue as always: with a main-queue context they are the main actor's.
    public func results<T>(of request: NSFetchRequest<T>) async throws -> sending [T] {
        let running = RunningFetch()
        let found: Transferred<[T]> = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue {
                    let asked = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                        if let error = result.operationError {
                            continuation.resume(throwing: error)
                        } else {
                            continuation.resume(returning: Transferred(result.finalResult ?? []))
                        }
                    }
                    do {
                        running.set(try asked.start(in: self).monitor)
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        } onCancel: {
            running.cancel()
        }
        return found.release()
    }
}

/// A fetch that a task waits for, and that may be cancelled before it has begun.
private final class RunningFetch: Sendable {
    private struct State {
        var monitor: FetchMonitor?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func set(_ monitor: FetchMonitor) {
        state.withLock { state in
            state.monitor = monitor
            if state.isCancelled { monitor.cancel() }
        }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.monitor?.cancel()
        }
    }
}
