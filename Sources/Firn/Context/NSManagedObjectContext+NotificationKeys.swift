public import Foundation

extension NSManagedObjectContext {
    /// Posted before a save.
    public static let willSaveObjectsNotification: Notification.Name = .NSManagedObjectContextWillSave
    /// Posted after a save, with the objects.
    public static let didSaveObjectsNotification: Notification.Name = .NSManagedObjectContextDidSave
    /// Posted when objects changed.
    public static let didChangeObjectsNotification: Notification.Name =
        .NSManagedObjectContextObjectsDidChange
    /// Posted after a save, with object IDs.
    public static let didSaveObjectIDsNotification: Notification.Name =
        .NSManagedObjectContextDidSaveObjectIDs
    /// Posted after a merge, with object IDs.
    public static let didMergeChangesObjectIDsNotification: Notification.Name =
        .NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the notifications' `userInfo`.
    public enum NotificationKey: String, Sendable {
        /// The type of the keys as they stand in `userInfo`. Stated, because the symbol graph of the module does not
        /// always have an inferred one.
        public typealias RawValue = String

        /// The state of the stores after the save.
        case queryGeneration = "newQueryGeneration"
        /// That everything the context had is no longer valid.
        case invalidatedAllObjects = "invalidatedAll"
        /// The inserted objects.
        case insertedObjects = "inserted"
        /// The updated objects.
        case updatedObjects = "updated"
        /// The deleted objects.
        case deletedObjects = "deleted"
        /// The refreshed objects.
        case refreshedObjects = "refreshed"
        /// The invalidated objects.
        case invalidatedObjects = "invalidated"
        /// The IDs of inserted objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The IDs of updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The IDs of deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The IDs of refreshed objects.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The IDs of invalidated objects.
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}
