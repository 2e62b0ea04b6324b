#if Server
public import Foundation
import Hummingbird

/// A store's change feed and history, to be served by an application's own router:
///
///     let router = Router()
///     try router.addChangeFeed(of: container, options: options)
///
/// The routes only read. They follow the log, so they show what any process saves.
public final class ChangeFeed: Sendable {
    let store: ServedStore
    let options: ChangeFeedOptions
    let metrics = ServerMetrics()
    let head: FeedHead
    let caching: PastCaching
    let tables: TableReader
    let queries: QueryRunner

    /// The store whose tables are at `url`. Throws where there is no log of a store.
    public init(storeAt url: URL, options: ChangeFeedOptions = ChangeFeedOptions()) throws {
        self.options = options
        store = try ServedStore(path: url.path)
        head = try FeedHead(store, metrics)
        tables = TableReader(store)
        queries = QueryRunner(timeout: options.queryTimeout, metrics)
        caching = PastCaching(store, isPublic: options.token == nil)
        let (head, caching, metrics) = (head, caching, metrics)
        Thread.detachNewThread {
            do { try caching.advance() } catch { metrics.report(error) }
        }
        Task { [weak head] in
            while head != nil {
                try await Task.sleep(for: .seconds(1))
                head?.wakeIdle()
            }
        }
    }

    deinit { stop() }

    /// Ends all streams.
    public func stop() {
        head.stop()
        tables.removeFiles()
    }
}
#endif
