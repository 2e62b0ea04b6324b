package import FirnLog
public import FirnModel
public import Foundation
import Synchronization

/// One save, as history tells of it: who, when, and what changed.
/// https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction
open class NSPersistentHistoryTransaction: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    let source: TransactionSource
    private var includesChanges = true
    /// Made when first asked for.
    private let madeChanges = Mutex<[NSPersistentHistoryChange]?>(nil)

    package convenience init(_ record: LogRecord, store: NSPersistentStore) throws {
        let source = try TransactionSource(record, store)
        self.init(source)
        source.show(self)
    }

    init(_ source: TransactionSource) { self.source = source }

    package var record: LogRecord { source.record }
    private var store: NSPersistentStore { source.store }

    /// When it was saved.
    open var timestamp: Date { Date(timeIntervalSince1970: Double(record.header.date) / 1e6) }
    /// The record's sequence number: it rises by one from record to record of a store.
    open var transactionNumber: Int64 { Int64(record.sequence.rawValue) }
    /// The UUID of its store.
    open var storeID: String { store.identifier }
    /// The bundle identifier of the program that saved.
    open var bundleID: String { record.header.bundleID ?? "" }
    /// The name of the process that saved.
    open var processID: String { record.header.processName }
    /// The name of the context that saved.
    open var contextName: String? { record.header.contextName }
    /// The `transactionAuthor` of the context that saved.
    open var author: String? { record.header.author }
    /// The place in the history after this transaction.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(store.identifier, record.position) }
    /// The saving context's `transactionMetadata`. Ours, not Apple's.
    public var metadata: [String: String] { record.header.metadata }

    /// The transaction as a request for transactions only gives it.
    var withoutChanges: NSPersistentHistoryTransaction {
        let bare = NSPersistentHistoryTransaction(source)
        bare.includesChanges = false
        return bare
    }

    /// The changes; nil if the request asked for transactions only.
    open var changes: [NSPersistentHistoryChange]? {
        if !includesChanges { return nil }
        return madeChanges.withLock { made in
            if let made { return made }
            let changes = NSPersistentHistoryChange.all(of: source)
            made = changes
            return changes
        }
    }

    /// A notification with the object IDs of the changes, to be merged into a context.
    open func objectIDNotification() -> Notification {
        let ids = RemoteChange(source.changes, store: store)
        var userInfo: [AnyHashable: Any] = [:]
        for (key, list) in [
            (NSInsertedObjectIDsKey, ids.inserted), (NSUpdatedObjectIDsKey, ids.updated),
            (NSDeletedObjectIDsKey, ids.deleted),
        ] where !list.isEmpty {
            userInfo[key] = Set(list)
        }
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: store.persistentStoreCoordinator,
            userInfo: userInfo)
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber), \(timestamp), author: \(author ?? "nil")>"
    }
}

/// The record behind a transaction of history. The transaction and its changes share it, so that a change reaches its
/// transaction however long it is kept, and neither retains the other.
final class TransactionSource {
    let record: LogRecord
    let store: NSPersistentStore
    /// The record's changes in the terms of the model in force, also if it was written before a migration.
    let changes: ChangeSet
    /// The way from the terms of the record to these.
    let steps: MigrationSteps
    private let shown = Mutex(Shown())

    private struct Shown: Sendable {
        weak var transaction: NSPersistentHistoryTransaction?
    }

    init(_ record: LogRecord, _ store: NSPersistentStore) throws {
        self.record = record
        self.store = store
        var changes = ChangeSet(model: .zero)
        if case .changes(let set) = record.body { changes = set }
        let engine = store.historyEngine
        try engine?.refuseMigrated(to: changes.model)
        steps = try engine?.log.migrations(from: changes.model, to: engine?.modelSequence ?? .zero) ?? MigrationSteps()
        self.changes = steps.upcast(changes)
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
