package import FirnLog
import FirnStore
package import Foundation

/// The store as the transactions of history use it.
extension NSPersistentStore: HistoryOwner {
    package var keeper: AnyObject? { persistentStoreCoordinator }

    package func savedNotification(of record: LogRecord) -> Notification {
        let ids = RemoteChange([record], store: self)
        var userInfo: [AnyHashable: Any] = [:]
        for (key, list) in [
            (NSInsertedObjectIDsKey, ids.inserted), (NSUpdatedObjectIDsKey, ids.updated),
            (NSDeletedObjectIDsKey, ids.deleted),
        ] where !list.isEmpty {
            userInfo[key] = Set(list)
        }
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: persistentStoreCoordinator, userInfo: userInfo)
    }
}
