/// Keys of store options, by Apple's names, and ours without a prefix.
/// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/store_options
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// An `NSStagedMigrationManager`.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Accepted; a migration leaves nothing to finish later.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Writes the tables anew, without gaps, when the store is added. https://www.sqlite.org/lang_vacuum.html
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Takes the statistics of the tables that queries are planned by when the store is added.
/// https://www.sqlite.org/lang_analyze.html
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// How many connections for reading are kept open when they are idle.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Destroys a store without waiting for whoever is writing to it.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// In a store's metadata: `NSManagedObjectModel.versionChecksum` of its model.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// Opens a store of a class of the application's own although it was written with another model.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Binary stores decode no objects by their class: transformable attributes go through their transformer. These options
/// change nothing.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
