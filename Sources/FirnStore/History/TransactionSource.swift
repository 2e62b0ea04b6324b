import FirnLog
import FirnModel
import Synchronization

/// The record behind a transaction of history. The transaction and its changes share it, so that a change reaches its
/// transaction however long it is kept, and neither retains the other.
final class TransactionSource: @unchecked Sendable {
    let record: LogRecord
    let store: any HistoryOwner
    let includesChanges: Bool
    private let shown = Mutex(Shown())

    private struct Shown: @unchecked Sendable {
        weak var transaction: NSPersistentHistoryTransaction?
    }

    init(_ record: LogRecord, _ store: any HistoryOwner, includesChanges: Bool) {
        self.record = record
        self.store = store
        self.includesChanges = includesChanges
    }

    func show(_ transaction: NSPersistentHistoryTransaction) { shown.withLock { $0.transaction = transaction } }

    /// The transaction that is in use; a new one if none is.
    var transaction: NSPersistentHistoryTransaction {
        shown.withLock { shown in
            if let current = shown.transaction { return current }
            let made = NSPersistentHistoryTransaction(self)
            shown.transaction = made
            return made
        }
    }
}
