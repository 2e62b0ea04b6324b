/// On disk: a log, with SQLite tables.
public let NSSQLiteStoreType = "SQLite"
/// In memory, gone with the coordinator.
public let NSInMemoryStoreType = "InMemory"
/// On disk, read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// The kind of the store, in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The UUID of the store, in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"

/// Keys of store options, by Apple's names, and ours without a prefix. A value of another type, or out of range, is
/// error 134080, whose text names the option.
/// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/store_options
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Whether a store of another model is migrated when it is opened.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Whether a migration without a mapping model infers one.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Opens a store whose version hashes differ from the model's without a migration, if its entities and properties have
/// the same names and types; others have to be migrated all the same. The store's metadata has the model's hashes then.
/// A store of a class of the application's own is opened whatever differs.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Accepted: there are no classes of file protection on Linux, as there are none on macOS.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// In a store's metadata, the oldest version of macOS that can open it: no store of ours has it.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// An `NSStagedMigrationManager`.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// As an option: an inferred migration leaves what can wait to `finishDeferredLightweightMigration()`. In a store's
/// metadata: something is left.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// How many seconds a save waits for another program that is saving, before it fails with 134090. Without the option,
/// or with infinity, it waits for as long as that takes.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// SQLite's settings for the connection that writes the tables, by the names of its pragmas: those that tune, such as
/// `cache_size`. Others, such as `journal_mode` and `wal_autocheckpoint`, are the store's own matter and change
/// nothing; what a save survives is the log's.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Accepted: history is always tracked.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether saves of others post `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Rewrites the tables without gaps when the store is added. https://www.sqlite.org/lang_vacuum.html
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Takes the statistics of the tables that queries are planned by when the store is added.
/// https://www.sqlite.org/lang_analyze.html
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// How many connections for reading are kept open when they are idle.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Destroys a store without waiting for a program that is writing to it.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// In a store's metadata: `NSManagedObjectModel.versionChecksum` of its model.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// Binary stores decode no objects by their class: transformable attributes go through their transformer. These options
/// change nothing.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Accepted, without an effect.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"

/// The version of Apple's framework that this follows: the newest whose stores were read here.
/// https://developer.apple.com/documentation/coredata/nscoredataversionnumber
public var NSCoreDataVersionNumber: Double { 1344 }
