package import FirnSQLite
internal import Foundation
internal import Synchronization

/// Watches one fetch from outside: how many rows it has read, and the means to stop it.
///
/// Thread-safe: the reader counts, anyone may cancel.
package final class FetchMonitor: Sendable {
    /// State of the watched fetch. Of the connection only `interrupt()` is used, which any thread may call.
    private struct Run: @unchecked Sendable {
        var isCancelled = false
        /// The connection that runs the fetch now.
        var connection: Connection?
    }

    private let run = Mutex(Run())
    private let rowCount = Atomic(0)
    /// Called with the number of rows, every `reportInterval` of them, on the thread that reads.
    private let report: @Sendable (Int) -> Void
    private static let reportInterval = 256

    package init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

    package var isCancelled: Bool { run.withLock { $0.isCancelled } }

    /// Stops the fetch: what runs fails with `FetchCancelled`, and what has not begun does not begin.
    package func cancel() {
        run.withLock { run in
            run.isCancelled = true
            run.connection?.interrupt()
        }
    }

    /// Throws `FetchCancelled` if it was cancelled. For work that reads no tables.
    package func check() throws {
        if isCancelled { throw FetchCancelled() }
    }

    func rowRead() {
        let count = rowCount.add(1, ordering: .relaxed).newValue
        if count % Self.reportInterval == 0 { report(count) }
    }

    /// Runs `body`, which uses only `connection`, so that the monitor can interrupt it.
    package static func watch<R>(
        _ monitor: FetchMonitor?, _ connection: Connection, _ body: () throws -> R
    ) throws -> R {
        guard let monitor else { return try body() }
        try monitor.run.withLock { run in
            if run.isCancelled { throw FetchCancelled() }
            run.connection = connection
        }
        defer { monitor.run.withLock { $0.connection = nil } }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupted {
            throw FetchCancelled()
        }
    }
}

/// The fetch was cancelled by its monitor.
package struct FetchCancelled: LocalizedError {
    package init() {}

    package var errorDescription: String? { "the fetch was cancelled" }
}
