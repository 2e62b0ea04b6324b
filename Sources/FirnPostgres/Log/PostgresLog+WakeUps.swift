import Dispatch
import FirnLog
import Synchronization

/// Notifications to followers. Each is a transaction of its own: within an append's it would have all appends to the
/// database commit one after the other. If one gets lost, followers look by themselves.
extension PostgresLog {
    /// To be called with the session's connection, after an append.
    func wakeFollowers(_ last: SequenceNumber, _ connection: PostgresConnection) {
        perform(wakeUps.withLock { $0.appended(last, now: PostgresSession.now()) }, connection)
    }

    private func perform(_ action: WakeUpPace.Action, _ connection: PostgresConnection?) {
        switch action {
        case .nothing: break
        case .wake(let last): notify(last, connection)
        case .wait(let time):
            // Keeps the log, and its connection, until those that wait are told.
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int(time))) { self.timeIsUp() }
        }
    }

    private func timeIsUp() {
        let isFree = session.useNow { connection in
            perform(wakeUps.withLock { $0.timeIsUp(isFree: true, now: PostgresSession.now()) }, connection)
        }
        if isFree { return }
        perform(wakeUps.withLock { $0.timeIsUp(isFree: false, now: PostgresSession.now()) }, nil)
    }

    /// The statement takes no parameters, and has only hexadecimal digits and a number; `pg_notify`, which does, is
    /// planned like a query each time. Nobody waits for its answer, and a connection that is gone is of no concern
    /// here.
    func notify(_ last: SequenceNumber, _ connection: PostgresConnection?) {
        try? connection?.post("notify \"\(channel)\", '\(last)'", [])
    }
}
