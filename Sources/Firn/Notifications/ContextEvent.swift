public import FirnModel
import FirnRuntime
import Foundation

/// The content of one notification of a context, as a value that may go anywhere: object IDs instead of objects.
public struct ContextEvent: Sendable {
    /// The kind of event.
    public enum Kind: Sendable, CaseIterable {
        /// Objects changed in the context: `ObjectsDidChange`. New objects still have temporary IDs.
        case changed
        /// The context saved: `DidSaveObjectIDs`.
        case saved
        /// The context merged what another one saved: `DidMergeChangesObjectIDs`.
        case merged
    }

    /// The kind of event.
    public let kind: Kind
    /// The IDs of inserted objects.
    public let inserted: Set<NSManagedObjectID>
    /// The IDs of updated objects.
    public let updated: Set<NSManagedObjectID>
    /// The IDs of deleted objects.
    public let deleted: Set<NSManagedObjectID>
    /// The IDs of refreshed objects.
    public let refreshed: Set<NSManagedObjectID>
    /// The IDs of invalidated objects.
    public let invalidated: Set<NSManagedObjectID>
    /// Whether everything that the context held is no longer valid: it was reset, or lost its store.
    public let isAllInvalidated: Bool

    init(_ kind: Kind, _ userInfo: [AnyHashable: Any]) {
        self.kind = kind
        func ids(
            _ objects: NSManagedObjectContext.NotificationKey, _ ids: NSManagedObjectContext.NotificationKey
        ) -> Set<NSManagedObjectID> {
            kind == .changed ? Set(userInfo.objects(objects).map(\.objectID)) : userInfo.ids(ids)
        }
        inserted = ids(.insertedObjects, .insertedObjectIDs)
        updated = ids(.updatedObjects, .updatedObjectIDs)
        deleted = ids(.deletedObjects, .deletedObjectIDs)
        refreshed = ids(.refreshedObjects, .refreshedObjectIDs)
        invalidated = ids(.invalidatedObjects, .invalidatedObjectIDs)
        isAllInvalidated = userInfo[NSInvalidatedAllObjectsKey] != nil
    }
}

extension ContextEvent.Kind {
    fileprivate var notificationName: Notification.Name {
        switch self {
        case .changed: .NSManagedObjectContextObjectsDidChange
        case .saved: .NSManagedObjectContextDidSaveObjectIDs
        case .merged: .NSManagedObjectContextDidMergeChangesObjectIDs
        }
    }
}

extension NSManagedObjectContext {
    /// The context's events from now on, for `for await`: all events of these kinds, in order, kept until taken. May be
    /// called on any thread. The stream does not keep the context alive, and ends with its reader.
    public func events(_ kinds: Set<ContextEvent.Kind> = Set(ContextEvent.Kind.allCases)) -> AsyncStream<ContextEvent> {
        AsyncStream { continuation in
            let tokens = kinds.map { kind in
                NotificationCenter.default.addObserver(forName: kind.notificationName, object: self, queue: nil) {
                    continuation.yield(ContextEvent(kind, $0.userInfo ?? [:]))
                }
            }
            let observers = Transferred(tokens)
            continuation.onTermination = { _ in
                for observer in observers.value { NotificationCenter.default.removeObserver(observer) }
            }
        }
    }
}

extension [AnyHashable: Any] {
    func objects(_ key: NSManagedObjectContext.NotificationKey) -> Set<NSManagedObject> {
        self[key.rawValue] as? Set<NSManagedObject> ?? []
    }

    func ids(_ key: NSManagedObjectContext.NotificationKey) -> Set<NSManagedObjectID> {
        self[key.rawValue] as? Set<NSManagedObjectID> ?? []
    }
}
