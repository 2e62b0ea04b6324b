// Foundation has typed messages from Swift 6.3 on.
#if compiler(>=6.3)
import FirnModel
import FirnRuntime
public import Foundation

/// The notifications of main-queue contexts as typed messages, delivered on the main actor before the call that caused
/// them returns.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/objectsdidchangemessage
extension NSManagedObjectContext {
    /// Objects of the context changed.
    public struct ObjectsDidChangeMessage: NotificationCenter.MainActorMessage {
        public typealias Subject = NSManagedObjectContext

        /// The context that posted it.
        public let context: NSManagedObjectContext
        /// The inserted objects.
        public var inserted: Set<NSManagedObject> { objects(.insertedObjects) }
        /// The updated objects.
        public var updated: Set<NSManagedObject> { objects(.updatedObjects) }
        /// The deleted objects.
        public var deleted: Set<NSManagedObject> { objects(.deletedObjects) }
        /// The refreshed objects.
        public var refreshed: Set<NSManagedObject> { objects(.refreshedObjects) }
        /// The invalidated objects.
        public var invalidated: Set<NSManagedObject> { objects(.invalidatedObjects) }
        /// Whether everything that the context held is no longer valid; nil if nothing says so.
        public let invalidatedAll: Bool?
        private let userInfo: [AnyHashable: Any]

        /// The name of the notification that carries it.
        public static var name: Notification.Name { .NSManagedObjectContextObjectsDidChange }

        /// The message that a notification carries; nil for another notification.
        @MainActor
        public static func makeMessage(_ notification: Notification) -> ObjectsDidChangeMessage? {
            guard let context = Subject.onMainQueue(notification) else { return nil }
            let userInfo = notification.userInfo ?? [:]
            let isAll = userInfo[NSInvalidatedAllObjectsKey] != nil
            return ObjectsDidChangeMessage(
                context: context, invalidatedAll: isAll ? true : nil, userInfo: userInfo)
        }

        /// The notification that carries a message.
        @MainActor
        public static func makeNotification(_ message: ObjectsDidChangeMessage) -> Notification {
            Notification(name: name, object: message.context, userInfo: message.userInfo)
        }

        private func objects(_ key: NotificationKey) -> Set<NSManagedObject> { userInfo.objects(key) }
    }

    /// The context is about to save.
    public struct WillSaveMessage: NotificationCenter.MainActorMessage {
        public typealias Subject = NSManagedObjectContext

        /// The context that posted it.
        public let context: NSManagedObjectContext

        /// The name of the notification that carries it.
        public static var name: Notification.Name { .NSManagedObjectContextWillSave }

        /// The message that a notification carries; nil for another notification.
        @MainActor
        public static func makeMessage(_ notification: Notification) -> WillSaveMessage? {
            Subject.onMainQueue(notification).map(WillSaveMessage.init)
        }

        /// The notification that carries a message.
        @MainActor
        public static func makeNotification(_ message: WillSaveMessage) -> Notification {
            Notification(name: name, object: message.context)
        }
    }

    /// The context saved.
    public struct DidSaveMessage: NotificationCenter.MainActorMessage {
        public typealias Subject = NSManagedObjectContext

        /// The context that posted it.
        public let context: NSManagedObjectContext
        /// The inserted objects.
        public var inserted: Set<NSManagedObject> { userInfo.objects(.insertedObjects) }
        /// The updated objects.
        public var updated: Set<NSManagedObject> { userInfo.objects(.updatedObjects) }
        /// The deleted objects.
        public var deleted: Set<NSManagedObject> { userInfo.objects(.deletedObjects) }
        /// The state of the stores after the save; nil if none is on disk.
        public var queryGeneration: NSQueryGenerationToken? {
            userInfo[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
        }
        /// The last transaction of the save.
        public var historyToken: NSPersistentHistoryToken? { queryGeneration?.token }
        private let userInfo: [AnyHashable: Any]

        /// The name of the notification that carries it.
        public static var name: Notification.Name { .NSManagedObjectContextDidSave }

        /// The message that a notification carries; nil for another notification.
        @MainActor
        public static func makeMessage(_ notification: Notification) -> DidSaveMessage? {
            let context = Subject.onMainQueue(notification)
            return context.map { DidSaveMessage(context: $0, userInfo: notification.userInfo ?? [:]) }
        }

        /// The notification that carries a message.
        @MainActor
        public static func makeNotification(_ message: DidSaveMessage) -> Notification {
            Notification(name: name, object: message.context, userInfo: message.userInfo)
        }
    }

    /// The context saved: the IDs of what it saved.
    public struct DidSaveObjectIDsMessage: NotificationCenter.MainActorMessage {
        public typealias Subject = NSManagedObjectContext

        /// The context that posted it.
        public let context: NSManagedObjectContext
        /// The IDs of inserted objects.
        public var insertedIDs: Set<NSManagedObjectID> { userInfo.ids(.insertedObjectIDs) }
        /// The IDs of updated objects.
        public var updatedIDs: Set<NSManagedObjectID> { userInfo.ids(.updatedObjectIDs) }
        /// The IDs of deleted objects.
        public var deletedIDs: Set<NSManagedObjectID> { userInfo.ids(.deletedObjectIDs) }
        /// The state of the stores after the save; nil if none is on disk.
        public var queryGeneration: NSQueryGenerationToken? {
            userInfo[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
        }
        /// The last transaction of the save.
        public var historyToken: NSPersistentHistoryToken? { queryGeneration?.token }
        private let userInfo: [AnyHashable: Any]

        /// The name of the notification that carries it.
        public static var name: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }

        /// The message that a notification carries; nil for another notification.
        @MainActor
        public static func makeMessage(_ notification: Notification) -> DidSaveObjectIDsMessage? {
            let context = Subject.onMainQueue(notification)
            return context.map { DidSaveObjectIDsMessage(context: $0, userInfo: notification.userInfo ?? [:]) }
        }

        /// The notification that carries a message.
        @MainActor
        public static func makeNotification(_ message: DidSaveObjectIDsMessage) -> Notification {
            Notification(name: name, object: message.context, userInfo: message.userInfo)
        }
    }

    /// Tells those who observe messages what those who observe notifications were told: Foundation on Linux does not
    /// turn the one into the other. On the main queue only.
    func postMessage(_ notification: Notification) {
        let posted = Transferred(notification)
        MainActor.assumeIsolated {
            let notification = posted.value
            switch notification.name {
            case ObjectsDidChangeMessage.name: post(ObjectsDidChangeMessage.makeMessage(notification))
            case WillSaveMessage.name: post(WillSaveMessage.makeMessage(notification))
            case DidSaveMessage.name: post(DidSaveMessage.makeMessage(notification))
            case DidSaveObjectIDsMessage.name: post(DidSaveObjectIDsMessage.makeMessage(notification))
            default: break
            }
        }
    }

    @MainActor
    private func post<M: NotificationCenter.MainActorMessage>(_ message: M?) where M.Subject == NSManagedObjectContext {
        if let message { NotificationCenter.default.post(message, subject: self) }
    }

    /// The context that a notification is of, if it is one of the main queue: others post elsewhere.
    fileprivate static func onMainQueue(_ notification: Notification) -> NSManagedObjectContext? {
        guard let context = notification.object as? NSManagedObjectContext,
            context.concurrencyType == .mainQueueConcurrencyType
        else { return nil }
        return context
    }
}
#endif
