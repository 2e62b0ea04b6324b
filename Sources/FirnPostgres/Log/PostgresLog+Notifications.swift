import Dispatch
import FirnLog
import Synchronization

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
