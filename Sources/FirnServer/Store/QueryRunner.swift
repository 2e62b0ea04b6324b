#if Server
import FirnProjection
import Hummingbird
import NIOPosix
import Synchronization

/// Runs questions to the tables on threads of their own, a few at a time, each for a limited time.
final class QueryRunner: Sendable {
    private static let threadCount = 4
    /// Questions that may wait for a thread.
    private static let queueMax = 32

    private let pool = NIOThreadPool(numberOfThreads: QueryRunner.threadCount)
    private let timeout: Duration
    private let metrics: ServerMetrics
    private let count = Mutex(0)

    init(timeout: Duration, _ metrics: ServerMetrics) {
        self.timeout = timeout
        self.metrics = metrics
        pool.start()
    }

    deinit { pool.shutdownGracefully { _ in } }

    /// Runs `body`, which gives the monitor to what it asks the tables. Throws 503 when that takes too long, or when
    /// too many questions wait.
    func run<R: Sendable>(_ body: @escaping @Sendable (FetchMonitor) throws -> R) async throws -> R {
        let isAccepted = count.withLock { count in
            guard count < Self.threadCount + Self.queueMax else { return false }
            count += 1
            return true
        }
        guard isAccepted else {
            throw RequestFailure(
                .serviceUnavailable, "too many questions are being answered", remedy: "try again later",
                headers: [.retryAfter: "1"])
        }
        defer { count.withLock { $0 -= 1 } }
        let monitor = FetchMonitor { _ in }
        let timer = Task { [timeout] in
            try await Task.sleep(for: timeout)
            monitor.cancel()
        }
        defer { timer.cancel() }
        do {
            let result = try await withTaskCancellationHandler {
                try await pool.runIfActive { try body(monitor) }
            } onCancel: {
                monitor.cancel()
            }
            metrics.countQuery(isCancelled: false)
            return result
        } catch is FetchCancelled {
            metrics.countQuery(isCancelled: true)
            throw RequestFailure(
                .serviceUnavailable, "the question took longer than \(timeout) and was cancelled",
                remedy: "ask for less: a simpler predicate, or one with an indexed property")
        }
    }
}
#endif
