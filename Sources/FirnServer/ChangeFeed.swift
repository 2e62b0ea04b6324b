#if Server
import Firn
public import Foundation
import Hummingbird

/// A store's change feed and history, to be served by an application's own router:
///
///     let router = Router()
///     try router.addChangeFeed(of: container, options: options)
///
/// The routes only read, unless the options allow reverting. They follow the log, so they show what any process saves.
public final class ChangeFeed: Sendable {
    let store: ServedStore
    let options: ChangeFeedOptions
    let metrics = ServerMetrics()
    let head: FeedHead
    let caching: PastCaching
    let tables: StateReader
    let queries: QueryRunner
    /// Nil unless the options allow it.
    let reverter: Reverter?

    /// The store whose tables are at `url`. Throws where there is no log of a store, and where reverting is allowed
    /// without a token.
    public convenience init(storeAt url: URL, options: ChangeFeedOptions = ChangeFeedOptions()) throws {
        try self.init(storeAt: url, options: options, coordinator: nil)
    }

    /// - Parameter coordinator: what reverts, if the options allow it; nil for one of the feed's own.
    init(storeAt url: URL, options: ChangeFeedOptions, coordinator: NSPersistentStoreCoordinator?) throws {
        guard !options.allowsRevert || options.token != nil else {
            throw ProgramFailure("reverting needs a token: who may look may not write")
        }
        self.options = options
        store = try ServedStore(path: url.path)
        reverter = options.allowsRevert ? Reverter(store, coordinator) : nil
        head = try FeedHead(store, metrics)
        let storeOptions = coordinator?.persistentStores.first { $0.url?.path == url.path }?.options
        tables = StateReader(store, keepsHistory: HistoryTables(options: storeOptions) != .never)
        queries = QueryRunner(timeout: options.queryTimeout, metrics)
        caching = PastCaching(store, isPublic: options.token == nil)
        let (head, frames, metrics) = (head, store.frames, metrics)
        Thread.detachNewThread {
            do { try frames.advance() } catch { metrics.report(error) }
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
    public func stop() { head.stop() }
}
#endif
