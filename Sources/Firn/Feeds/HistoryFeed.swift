import FirnStore
import FirnLog
import Foundation

/// The transactions of a store, one after the other, as they happen, in this process or another:
///
///     for try await event in try coordinator.historyFeed(after: token) {
///         switch event {
///         case .transaction(let transaction): …
///         case .baseline(let token): …
///         }
///     }
///
/// Nothing is read ahead of what is asked for, and nothing is missed, however slow the reader is: the log waits. It
/// ends when its task is cancelled or the store is removed. A transaction is given once it is as durable as the
/// store promises.
public struct HistoryFeed: AsyncSequence, Sendable {
    /// What the feed gives.
    public enum Event: Sendable {
        /// The next transaction.
        case transaction(NSPersistentHistoryTransaction)
        /// What the feed was to give next was deleted. The reader starts again with the state at the token, which
        /// `newContext(asOf:)` shows; the feed continues after it.
        case baseline(NSPersistentHistoryToken)
    }

    private let store: LoggedStore
    /// A coordinator that is gone closes its stores.
    private let coordinator: NSPersistentStoreCoordinator?
    private let start: SequenceNumber

    init(_ store: LoggedStore, after start: SequenceNumber) {
        self.store = store
        coordinator = store.persistentStoreCoordinator
        self.start = start
    }

    public func makeAsyncIterator() -> Iterator { Iterator(store, after: start) }

    /// Not for two tasks at once.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: HistorySource

        init(_ store: LoggedStore, after start: SequenceNumber) {
            source = HistorySource(store, after: start)
        }

        public mutating func next() async throws -> Event? {
            while true {
                switch try source.next() {
                case .record(let record):
                    guard case .changes = record.body else { continue }
                    return .transaction(source.transaction(record))
                case .trimmed(let last):
                    return .baseline(NSPersistentHistoryToken([source.store.identifier: last]))
                case .nothing:
                    guard try await source.wait() else { return nil }
                }
            }
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// The transactions after a token, then those to come; all that there are without one.
    /// - Parameter store: by default the coordinator's first one that keeps a history.
    public func historyFeed(
        of store: NSPersistentStore? = nil, after token: NSPersistentHistoryToken? = nil
    ) throws -> HistoryFeed {
        let store = try loggedStore(store)
        return HistoryFeed(store, after: token?.positions[store.identifier] ?? store.engine.log.baseline)
    }

    /// The store of a request that names one, or none.
    func loggedStore(_ store: NSPersistentStore?) throws -> LoggedStore {
        let candidates = store.map { [$0] } ?? persistentStores
        if let logged = candidates.lazy.compactMap({ $0.loggedStore }).first { return logged }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "the coordinator has no store that keeps a history: add one, or name another")
    }
}
