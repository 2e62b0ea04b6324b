import Dispatch
package import FirnLog
import Synchronization

/// Decides when to notify followers: at once, and then once an interval, of the last record appended meanwhile.
///
///     appended     1   2 3 4 5 6                 7
///     notified     1 ─────── 5 ─────── 6         7
///                    interval
///
/// A delayed notification is sent by the first append after the interval, or by a timer.
package struct NotifyThrottle {
    package enum Action: Hashable {
        case nothing
        /// Notify followers that the log has this record.
        case notify(SequenceNumber)
        /// Call `timerFired` after this many microseconds.
        case wait(Int64)
    }

    private let interval: Int64
    /// The last record, if followers were not notified of it.
    private var due: SequenceNumber?
    /// When followers were last notified, in microseconds of any clock.
    private var last: Int64?
    private var isTimed = false

    package init(interval: Int64) { self.interval = interval }

    package mutating func appended(_ sequence: SequenceNumber, now: Int64) -> Action {
        due = max(due ?? sequence, sequence)
        let remaining = last.map { $0 + interval - now } ?? 0
        if remaining <= 0 { return notify(now) }
        if isTimed { return .nothing }
        isTimed = true
        return .wait(remaining)
    }

    /// - Parameter isFree: whether there is a connection to notify them over.
    package mutating func timerFired(isFree: Bool, now: Int64) -> Action {
        isTimed = false
        if due == nil { return .nothing }
        if isFree { return notify(now) }
        isTimed = true
        return .wait(interval)
    }

    /// Removes and returns the record to notify followers of; nil if there is none.
    package mutating func end() -> SequenceNumber? {
        defer { due = nil }
        return due
    }

    private mutating func notify(_ now: Int64) -> Action {
        last = now
        return end().map { .notify($0) } ?? .nothing
    }
}

/// Notifications to followers. Each is a transaction of its own: within an append's it would have all appends to the
/// database commit one after the other. If one gets lost, followers look by themselves.
extension PostgresLog {
    /// To be called with the session's connection, after an append.
    func notifyFollowers(_ last: SequenceNumber, _ connection: PostgresConnection) {
        perform(notifyThrottle.withLock { $0.appended(last, now: PostgresSession.now()) }, connection)
    }

    private func perform(_ action: NotifyThrottle.Action, _ connection: PostgresConnection?) {
        switch action {
        case .nothing: break
        case .notify(let last): notify(last, connection)
        case .wait(let time):
            // The closure retains the log and its connection until followers are notified.
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(time))) { self.timerFired() }
        }
    }

    private func timerFired() {
        let isFree = session.useNow { connection in
            perform(notifyThrottle.withLock { $0.timerFired(isFree: true, now: PostgresSession.now()) }, connection)
        }
        if isFree { return }
        perform(notifyThrottle.withLock { $0.timerFired(isFree: false, now: PostgresSession.now()) }, nil)
    }

    /// The statement takes no parameters, and has only hexadecimal digits and a number; `pg_notify`, which does, is
    /// planned like a query each time. Nobody waits for its answer, and a connection that is gone is of no concern
    /// here.
    func notify(_ last: SequenceNumber, _ connection: PostgresConnection?) {
        try? connection?.post("notify \"\(channel)\", '\(last)'", [])
    }
}
