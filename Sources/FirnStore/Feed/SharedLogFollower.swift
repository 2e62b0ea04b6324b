import FirnLog
import Foundation

/// A thread that brings what other machines write into the copy of a shared log, and tells the store.
package final class SharedLogFollower: @unchecked Sendable {
    /// How long to wait before trying again, in seconds, where something other than the network is wrong.
    private static let pause = 2.0

    /// Guards what follows, and is signalled when it is stopped.
    private let condition = NSCondition()
    private var watch: (any LogWatch)?
    private var isStopped = false

    /// Nil for a store that has a log of its own.
    package init?(engine: StoreEngine) {
        guard let upstream = engine.log.upstream else { return nil }
        // Already now: a save that fails before the thread runs must not have the next one ask the server too.
        upstream.beginWatching()
        let thread = Thread { [weak engine, self] in
            while let log = engine?.log, !self.isOver {
                do {
                    guard let watch = try self.watch(log) else { return }
                    while try log.wait(with: watch) {
                        try log.pullUpstream()
                        // What fails here is the next save's to report, which brings the tables up to date too.
                        try? engine?.refresh()
                        if engine == nil { return }
                    }
                    return
                } catch {
                    self.rest()
                }
            }
        }
        thread.name = "firn shared log follower"
        thread.start()
    }

    package func stop() {
        condition.lock()
        isStopped = true
        watch?.cancel()
        condition.signal()
        condition.unlock()
    }

    private var isOver: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isStopped
    }

    /// Nil if there is nothing to wait for any more.
    private func watch(_ log: SegmentLog) throws -> (any LogWatch)? {
        let made = try log.watchUpstream()
        condition.lock()
        defer { condition.unlock() }
        if isStopped { return nil }
        watch = made
        return made
    }

    private func rest() {
        condition.lock()
        defer { condition.unlock() }
        if !isStopped { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
    }
}
