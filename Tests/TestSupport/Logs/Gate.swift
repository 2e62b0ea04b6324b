import Dispatch
import Foundation
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

    /// Returns when a thread is stopped here. Throws if none comes for longer than any machine takes: a test that waits
    /// in vain fails instead of hanging.
    package func waitForArrival() throws(WaitedInVain) {
        guard arrived.wait(timeout: .now() + WaitedInVain.limit) == .success else {
            throw WaitedInVain("no thread arrived at a closed gate")
        }
    }

    /// Lets the thread go on that is stopped.
    package func open() { opened.signal() }

    package func pass() {
        passes.add(1, ordering: .relaxed)
        guard isClosed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        arrived.signal()
        opened.wait()
    }
}

/// What a test waited for did not happen.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String) { description = "\(what) within a minute" }

    /// Longer than any machine takes, and short enough that a test which fails does not hold up the others.
    static let limit = DispatchTimeInterval.seconds(60)
}

extension DispatchGroup {
    /// Returns when all threads of the group have left it. Throws if one of them waits for ever.
    package func waitForAll() throws(WaitedInVain) {
        guard wait(timeout: .now() + WaitedInVain.limit) == .success else {
            throw WaitedInVain("a thread of a test did not end")
        }
    }
}

/// Returns when a condition holds that another thread makes true. Throws if it does not come to hold.
package func waitUntil(_ condition: () -> Bool) throws(WaitedInVain) {
    let deadline = DispatchTime.now() + WaitedInVain.limit
    while !condition() {
        guard DispatchTime.now() < deadline else { throw WaitedInVain("a condition did not come to hold") }
        sched_yield()
    }
}
