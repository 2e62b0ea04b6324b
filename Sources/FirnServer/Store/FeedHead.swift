#if Server
import FirnLog
import Foundation
import NIOCore
import Synchronization

/// A listener that is called when there is news, on any thread, and asks for it then.
protocol FeedListener: Sendable {
    /// There are new records, or the service ends.
    func newsArrived()
    /// It is called every second or so, to look for followers that were sent nothing.
    func secondPassed()
}

/// The newest events, encoded once for all followers that are at the head.
///
///     log ──► one thread: wait, read, encode ──► ring ──► followers, each at its position
///
/// A follower whose next record has left the ring reads the log itself, so a slow one costs a position here.
final class FeedHead: Sendable {
    /// The news after a follower's position.
    enum News: Sendable {
        /// The next records; the last one's number is the new position.
        case events([ChangeEvent])
        /// There are records, which are to be read from the log.
        case behind
        /// Nothing happened for a while.
        case idle
        /// The service ends.
        case stopped
    }

    private struct Waiter {
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<News, Never>
    }

    private struct State {
        var head: SequenceNumber
        /// Consecutive records, the last of which is the head; or none.
        var ring: [ChangeEvent] = []
        var ringSize = 0
        var waiters: [UInt64: Waiter] = [:]
        var listeners: [any FeedListener] = []
        var lastWaiter: UInt64 = 0
        var isStopped = false
    }

    private static let ringSizeMax = 8 << 20
    private static let ringCountMax = 4096
    /// Records that are encoded before followers see the first.
    private static let batchMax = 128

    private let store: ServedStore
    private let filter: ChangeFilter
    private let metrics: ServerMetrics
    private let watcher: LogWatcher
    private let state: Mutex<State>

    /// Begins to follow the log, on a thread of its own.
    init(_ store: ServedStore, _ metrics: ServerMetrics) throws {
        self.store = store
        self.metrics = metrics
        filter = try ChangeFilter(store)
        watcher = try LogWatcher(store.log)
        let head = try store.refresh()
        state = Mutex(State(head: head))
        Thread.detachNewThread { [self] in follow(after: head) }
    }

    var head: SequenceNumber { state.withLock { $0.head } }

    /// Ends the thread and all followers.
    func stop() {
        watcher.cancel()
        let (waiters, listeners) = state.withLock { state in
            state.isStopped = true
            defer {
                state.waiters = [:]
                state.listeners = []
            }
            return (state.waiters.values.map(\.continuation), state.listeners)
        }
        for waiter in waiters { waiter.resume(returning: .stopped) }
        for listener in listeners { listener.newsArrived() }
    }

    func add(_ listener: any FeedListener) { state.withLock { $0.listeners.append(listener) } }

    /// The news after a position; nil at the head.
    func news(after position: SequenceNumber) -> News? { state.withLock { Self.news(in: $0, after: position) } }

    /// Waits for what follows a position, for `timeout` at most.
    func news(after position: SequenceNumber, timeout: Duration) async -> News {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let news = state.withLock { state -> News? in
                    if let news = Self.news(in: state, after: position) { return news }
                    if Task.isCancelled { return .stopped }
                    state.waiters[id] = Waiter(deadline: .now + timeout, continuation: continuation)
                    return nil
                }
                if let news { continuation.resume(returning: news) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: .stopped)
        }
    }

    private static func news(in state: State, after position: SequenceNumber) -> News? {
        if state.isStopped { return .stopped }
        guard position < state.head else { return nil }
        guard let first = state.ring.first?.sequence, first <= position.next else { return .behind }
        return .events(Array(state.ring.dropFirst(Int(position.next.rawValue - first.rawValue))))
    }

    /// Wakes followers to which nothing was sent for their timeout. To be called every second or so.
    func wakeIdle() {
        let now = ContinuousClock.now
        let (waiters, listeners) = state.withLock { state in
            let idle = state.waiters.filter { $0.value.deadline <= now }
            for id in idle.keys { state.waiters[id] = nil }
            return (idle.values.map(\.continuation), state.listeners)
        }
        for waiter in waiters { waiter.resume(returning: .idle) }
        for listener in listeners { listener.secondPassed() }
    }

    private func follow(after start: SequenceNumber) {
        var position = start
        while true {
            do {
                guard try watcher.wait(after: position) else { return }
                position = try publish(after: position)
            } catch {
                metrics.report(error)
                // A log that was trimmed past the position, or that cannot be read now.
                position = max(position, store.log.baseline)
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    /// Encodes the next records, if anybody is there to want them. Returns the last one's number.
    private func publish(after position: SequenceNumber) throws -> SequenceNumber {
        guard metrics.followerCount > 0 else {
            let head = store.log.head
            advance(to: head, [])
            return head
        }
        let reader = try store.log.records(after: position)
        var events: [ChangeEvent] = []
        var isErased = false
        while events.count < Self.batchMax, let record = try reader.next() {
            if case .erasure = record.body { isErased = true }
            events.append(try ChangeEvent(record, filter, store))
        }
        metrics.countEncoded(events.count)
        // After an erasure, followers read the log: what was encoded before may have the values.
        advance(to: reader.position, isErased ? [] : events)
        return reader.position
    }

    private func advance(to head: SequenceNumber, _ events: [ChangeEvent]) {
        let (waiters, listeners) = state.withLock { state in
            if events.first?.sequence != state.head.next {
                state.ring = []
                state.ringSize = 0
            }
            state.head = max(state.head, head)
            for event in events {
                state.ring.append(event)
                state.ringSize += event.bytes.readableBytes
            }
            var droppedCount = 0
            while state.ring.count - droppedCount > (state.ringSize > Self.ringSizeMax ? 1 : Self.ringCountMax) {
                state.ringSize -= state.ring[droppedCount].bytes.readableBytes
                droppedCount += 1
            }
            state.ring.removeFirst(droppedCount)
            defer { state.waiters.removeAll(keepingCapacity: true) }
            return (state.waiters.values.map(\.continuation), state.listeners)
        }
        // A follower that waited was at the head before, so the new events are all that is new to it.
        let news: News = events.isEmpty ? .behind : .events(events)
        for waiter in waiters { waiter.resume(returning: news) }
        for listener in listeners { listener.newsArrived() }
    }
}
#endif
