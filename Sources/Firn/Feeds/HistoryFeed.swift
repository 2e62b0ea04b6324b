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
    /// An event of the feed.
    public enum Event: Sendable {
        /// The next transaction.
        case transaction(NSPersistentHistoryTransaction)
        /// The history that the feed was to give next was deleted, or its place is of another history of the store, as
        /// before a backup was put back. The reader starts again with the state at the token, which `newContext(asOf:)`
        /// shows; the feed continues after it.
        case baseline(NSPersistentHistoryToken)
    }

    private let history: OpenHistory
    private let start: LogPosition

    init(_ history: OpenHistory, after start: LogPosition) {
        self.history = history
        self.start = start
    }

    public func makeAsyncIterator() -> Iterator { Iterator(HistorySource(history, after: start)) }

    /// Not for two tasks at once.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: HistorySource

        init(_ source: HistorySource) { self.source = source }

        public mutating func next() async throws -> Event? {
            while true {
                switch try source.next() {
                case .record(let record):
                    guard case .changes = record.body else { continue }
                    return .transaction(try source.transaction(record))
                case .restart(let last):
                    return .baseline(source.history.token(last.sequence))
                case .nothing:
                    guard await source.wait() else { return nil }
                }
            }
        }
    }
}
