import Dispatch
import Synchronization

/// A place that threads pass, or stop at until they are let through.
package final class Gate: Sendable {
    private let isClosed: Atomic<Bool>
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let passes = Atomic(0)

    package init(isClosed: Bool = false) { self.isClosed = Atomic(isClosed) }

    package var count: Int { passes.load(ordering: .relaxed) }

    /// Stops the next thread that comes.
    package func close() { isClosed.store(true, ordering: .releasing) }

    /// Returns when a thread is stopped here. False if none comes for longer than any machine takes: a test that waits
    /// in vain says so instead of hanging.
    @discardableResult
    package func waitForArrival() -> Bool { arrived.wait(timeout: .now() + .seconds(600)) == .success }

    /// Lets the thread go on that is stopped.
    package func open() { opened.signal() }

    package func pass() {
        passes.add(1, ordering: .relaxed)
        guard isClosed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        arrived.signal()
        opened.wait()
    }
}
