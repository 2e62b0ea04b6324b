public import Foundation

/// The notifications and their keys, by Apple's names.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext#notifications
public let NSInsertedObjectsKey = "inserted"
/// The IDs of inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The IDs of updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The IDs of deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The IDs of refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The IDs of invalidated objects.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// The updated objects.
public let NSUpdatedObjectsKey = "updated"
/// The deleted objects.
public let NSDeletedObjectsKey = "deleted"
/// The refreshed objects.
public let NSRefreshedObjectsKey = "refreshed"
/// The invalidated objects.
public let NSInvalidatedObjectsKey = "invalidated"
/// That everything the context had is no longer valid.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The state of the stores after the save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

extension Notification.Name {
    public static let NSManagedObjectContextWillSave = NSNotification.Name(
        "NSManagingContextWillSaveChangesNotification")
    public static let NSManagedObjectContextDidSave = NSNotification.Name(
        "NSManagingContextDidSaveChangesNotification")
    public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
        "NSObjectsChangedInManagingContextNotification")
    public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
    public static let NSPersistentStoreRemoteChange = NSNotification.Name(
        "NSPersistentStoreRemoteChangeNotification")
    public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}
