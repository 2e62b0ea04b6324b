import FirnLog
import FirnRuntime
import FirnStore
import Foundation

/// Notifications of a new transaction in a store, and merging into contexts that follow.
extension NSPersistentStoreCoordinator {
    /// Another process, or another coordinator, saved.
    func remoteRecords(_ records: [LogRecord], in store: NSPersistentStore) {
        let change = RemoteChange(records, store: store)
        if let last = records.last { postRemoteChange(last.sequence, in: store) }
        saveObserver?.didSave(nil) { change }
        for follower in followers where follower.parent == nil { follower.mergeLater(change) }
    }

    /// Others wrote, and what they wrote was cut off before this coordinator looked: anything may have changed.
    func historyGap(of store: NSPersistentStore) {
        postRemoteChange(nil, in: store)
        saveObserver?.historyGap(of: store)
        for follower in followers where follower.parent == nil { follower.mergeAllLater(of: store) }
    }

    /// Posts `NSPersistentStoreRemoteChange` if the store's options ask for it: for saves of others and for the
    /// coordinator's own. Without a sequence number there is no history token.
    ///
    /// It is posted on a queue of its own, in the order of the transactions. On the stack of a save or a read,
    /// an observer that reads would be called within its own call, and would wait for locks that its caller holds.
    /// https://developer.apple.com/documentation/coredata/nspersistentstoreremotechangenotificationpostoptionkey
    func postRemoteChange(_ sequence: SequenceNumber?, in store: NSPersistentStore) {
        guard store.postsRemoteChanges else { return }
        var userInfo: [AnyHashable: Any] = [
            NSStoreUUIDKey: store.identifier as Any, NSPersistentStoreURLKey: store.url as Any,
        ]
        if let sequence {
            let token = NSPersistentHistoryToken(store.identifier, store.position(of: sequence))
            userInfo[NSPersistentHistoryTokenKey] = token
        }
        let posted = Transferred(userInfo)
        remoteChangeQueue.async { [reference = WeakReference(self)] in
            guard let coordinator = reference.object else { return }
            NotificationCenter.default.post(
                name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: posted.value)
        }
    }

    /// A context saved: contexts that follow by themselves merge it, each on its own queue. Those further down merge
    /// after their parent has, which is what they read from.
    func contextDidSave(
        _ context: NSManagedObjectContext, _ change: ObjectChange, _ identities: [AnyHashable: Any]
    ) {
        saveObserver?.didSave(context) { RemoteChange(change, identities) }
        let others = followers.filter { $0 !== context && ($0.parent == nil || $0.parent === context) }
        if others.isEmpty { return }
        let ids = RemoteChange(change, identities)
        for follower in others { follower.mergeLater(ids) }
    }
}

/// The URL of a store that changed, in a notification.
public let NSPersistentStoreURLKey = "storeURL"
/// The last transaction that a notification is about.
public let NSPersistentHistoryTokenKey = "historyToken"
