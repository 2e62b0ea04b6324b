internal import FirnSQLite
internal import Synchronization

/// Watches one fetch from outside: how many rows it has read, and the means to stop it.
///
/// Thread-safe: the reader counts, anyone may cancel.
package final class FetchMonitor: @unchecked Sendable {
    private struct State: @unchecked Sendable {
        var isCancelled = false
        /// What runs the fetch at this moment.
        var connection: Connection?
    }

    private let state = Mutex(State())
    private let rowCount = Atomic(0)
    /// Called with the number of rows, every `reportInterval` of them, on the thread that reads.
    private let report: @Sendable (Int) -> Void
    private static let reportInterval = 256

    package init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Stops the fetch: what runs fails with `FetchCancelled`, and what has not begun does not begin.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.connection?.interrupt()
        }
    }

    func rowRead() {
        let count = rowCount.add(1, ordering: .relaxed).newValue
        if count % Self.reportInterval == 0 { report(count) }
    }

    /// Runs `body`, which uses `connection` and nothing else, under the monitor's eye.
    static func watch<R>(_ monitor: FetchMonitor?, _ connection: Connection, _ body: () throws -> R) throws -> R {
        guard let monitor else { return try body() }
        try monitor.state.withLock { state in
            if state.isCancelled { throw FetchCancelled() }
            state.connection = connection
        }
        defer { monitor.state.withLock { $0.connection = nil } }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupted {
            throw FetchCancelled()
        }
    }
}

/// The fetch was cancelled by whoever watches it.
package struct FetchCancelled: Error {
    package init() {}
}
