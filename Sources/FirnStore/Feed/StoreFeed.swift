package import FirnLog
import Foundation

/// The thread that waits for news of an open store, and reports them.
///
///     this program appended                    ──► growth
///     the folder grew (inotify)                ──► growth ──► refresh ─┐
///     the server has more                      ──► pull ────► refresh ─┤
///     a save or a read meets others' records   ────────────────────────┴──► gap, records
///
/// A refresh has updated the row cache and the keys before it tells. Subscribers hear of everything in the order in
/// which they subscribed.
package final class StoreFeed: @unchecked Sendable {
    /// The writer's lock may be held while news is told, so a handler only wakes somebody, or leaves a message.
    package enum News: Sendable {
        /// Anybody appended.
        case growth
        /// Others wrote more than can be told: anything may have changed.
        case gap
        /// Others appended these records, which the store counts as seen once all subscribers heard of them.
        case records([LogRecord])
        /// The store is closed.
        case end
    }

    /// A source that wakes the feed.
    package enum Source {
        /// The log's folder, into which this program and others write.
        case folder
        /// The shared log of which the log is a copy.
        case server
    }

    /// How long to wait before trying again, in seconds, where something other than the network is wrong.
    private static let pause = 2.0

    private let log: SegmentLog
    private var copy: SharedCopy? { log as? SharedCopy }
    /// Guards what follows, and is signalled at the end.
    private let condition = NSCondition()
    private var subscribers: [(id: Int, handler: @Sendable (News) -> Void)] = []
    private var lastID = 0
    private var sources: Set<Source> = []
    private var watches: [Source: any LogWatch] = [:]
    private var hasEnded = false

    package init(_ log: SegmentLog) { self.log = log }

    /// Calls the handler with all that is news from now on.
    @discardableResult
    package func subscribe(_ handler: @escaping @Sendable (News) -> Void) -> Int {
        condition.lock()
        lastID += 1
        let (id, isLate) = (lastID, hasEnded)
        subscribers.append((id, handler))
        condition.unlock()
        if isLate { handler(.end) }
        return id
    }

    package func cancel(_ id: Int) { condition.withLock { subscribers.removeAll { $0.id == id } } }

    /// An element whenever the log may have grown since the last one. It ends with the feed.
    package func growth() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = subscribe { news in
            switch news {
            case .growth: continuation.yield()
            case .end: continuation.finish()
            case .gap, .records: break
            }
        }
        continuation.onTermination = { [weak self] _ in self?.cancel(id) }
        return stream
    }

    package func notify(_ news: News) {
        for subscriber in condition.withLock({ subscribers }) { subscriber.handler(news) }
    }

    package func isWatching(_ source: Source) -> Bool { condition.withLock { sources.contains(source) } }

    /// From now on a thread waits for records after `seen`, and calls `refresh`. Does nothing if there is one already.
    package func watch(_ source: Source, after seen: SequenceNumber, refresh: @escaping @Sendable () throws -> Void) {
        guard condition.withLock({ !hasEnded && sources.insert(source).inserted }) else { return }
        // Already now: a save that fails before the thread runs must not have the next one ask the server too.
        if source == .server { copy?.upstream.beginWatching() }
        let thread = Thread { [self] in
            var seen = seen
            repeat {
                do { return try follow(source, &seen, refresh) } catch {
                    // Readers find out for themselves what is wrong.
                    notify(.growth)
                }
            } while rest()
        }
        thread.name = "firn change feed"
        thread.start()
    }

    private func follow(_ source: Source, _ seen: inout SequenceNumber, _ refresh: () throws -> Void) throws {
        let server = source == .server ? copy : nil
        if source == .server, server == nil { return }
        let watch = try server?.watchUpstream() ?? log.watch()
        condition.withLock {
            watches[source] = watch
            if hasEnded { watch.cancel() }
        }
        while try server?.wait(with: watch) ?? watch.wait(after: seen) {
            try server?.pullUpstream()
            seen = log.head
            // First: a refresh may have to wait for another program.
            notify(.growth)
            // What fails here is the next save's to report, which brings the store up to date too.
            try? refresh()
        }
    }

    /// False at the end.
    private func rest() -> Bool {
        condition.withLock {
            if !hasEnded { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
            return !hasEnded
        }
    }

    /// Ends the threads, once they are done with what they are at, and tells the subscribers.
    package func end() {
        condition.withLock {
            hasEnded = true
            condition.broadcast()
            for watch in watches.values { watch.cancel() }
        }
        notify(.end)
    }
}
