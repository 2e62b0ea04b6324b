import FirnLog
import Foundation

/// The stages that lead a store through versions of its model before it is opened. The object graph says how.
package protocol StagedMigrating: AnyObject {}

/// All options of stores, Apple's and ours, with the values that they take.
package enum StoreOptions {
    package static let isReadOnly = StoreOption.flag(NSReadOnlyPersistentStoreOption)
    package static let migrates = StoreOption.flag(NSMigratePersistentStoresAutomaticallyOption)
    package static let infersMapping = StoreOption.flag(NSInferMappingModelAutomaticallyOption)
    package static let ignoresVersions = StoreOption.flag(NSIgnorePersistentStoreVersioningOption)
    package static let defersMigration = StoreOption.flag(NSPersistentStoreDeferredLightweightMigrationOptionKey)
    package static let postsRemoteChanges = StoreOption.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    package static let tracksHistory = StoreOption.flag(NSPersistentHistoryTrackingKey)
    package static let isDestroyedByForce = StoreOption.flag(NSPersistentStoreForceDestroyOption)
    static let vacuums = StoreOption.flag(NSSQLiteManualVacuumOption)
    static let analyzes = StoreOption.flag(NSSQLiteAnalyzeOption)
    static let connectionCount = StoreOption<Int>.count(NSPersistentStoreConnectionPoolMaxSizeKey, "connections")
    static let rowCacheSize = StoreOption<Int>.count(PersistentStoreRowCacheSizeOption, "bytes")
    static let timeout = StoreOption<TimeInterval>.seconds(NSPersistentStoreTimeoutOption)
    static let pragmas = StoreOption<[String: String]>(
        NSSQLitePragmasOption, "a dictionary from names of pragmas to words and numbers",
        TableOptions.pragmas(of:))
    static let durability = StoreOption<Durability>(
        PersistentStoreDurabilityOption,
        "\"synced\", \"bounded\", \"bounded N\" with N microseconds, 0 to 86400000000, or \"system\""
    ) { ($0 as? String).flatMap(Durability.init(option:)) }
    static let missingTables = StoreOption<MissingTables>(
        PersistentStoreMissingTablesOption, "\"rebuild\", \"startFresh\" or \"refuse\""
    ) { ($0 as? String).flatMap(MissingTables.init) }
    static let missingLog = StoreOption<MissingLog>(
        PersistentStoreMissingLogOption, "\"adopt\" or \"refuse\""
    ) { ($0 as? String).flatMap(MissingLog.init) }
    static let historyTables = StoreOption<HistoryTables>(
        PersistentStoreHistoryTablesOption, "\"onUse\", \"always\" or \"never\""
    ) { ($0 as? String).flatMap(HistoryTables.init) }
    static let localCopy = StoreOption<URL>(
        PersistentStoreLocalCopyOption, "a file URL, as a URL or a text, or a path", LocalCopy.url(of:))
    static let openingProgress = StoreOption<OpeningProgress>(
        PersistentStoreOpeningProgressOption, "an OpeningProgress"
    ) { $0 as? OpeningProgress }
    package static let stages = StoreOption<any StagedMigrating>(
        NSPersistentStoreStagedMigrationManagerOptionKey, "an NSStagedMigrationManager"
    ) { $0 as? any StagedMigrating }
    static let fileSystem = StoreOption<any FileSystem>(PersistentStoreFileSystemOption, "a FileSystem") {
        $0 as? any FileSystem
    }

    /// Without an effect; what is given all the same is checked.
    private static let accepted: [any CheckedOption] = [
        tracksHistory,
        StoreOption<Bool>.flag(NSBinaryStoreInsecureDecodingCompatibilityOption),
        StoreOption<String>(NSPersistentStoreFileProtectionKey, "a text") {
            $0 as? String ?? ($0 as? any RawRepresentable)?.rawValue as? String
        },
        StoreOption<Bool>(NSBinaryStoreSecureDecodingClasses, "a set of classes") {
            $0 is NSSet || $0 is Set<AnyHashable> || $0 is [Any] ? true : nil
        },
    ]

    private static let all: [any CheckedOption] =
        [
            isReadOnly, migrates, infersMapping, ignoresVersions, defersMigration, postsRemoteChanges,
            isDestroyedByForce, vacuums, analyzes, connectionCount, rowCacheSize, timeout, pragmas, durability,
            missingTables, missingLog, historyTables, localCopy, openingProgress, stages, fileSystem,
        ] + accepted

    /// How long a save waits for another program, in microseconds; nil if the options do not say, or more than numbers
    /// hold.
    package static func lockTimeout(in options: [AnyHashable: Any]?) -> Int64? {
        timeout.value(in: options).flatMap { Int64(exactly: ($0 * 1e6).rounded()) }
    }

    /// The keys of options about a store's files, which say nothing of a copy in memory.
    package static let aboutFiles: Set<String> = [
        isReadOnly.key, vacuums.key, analyzes.key, connectionCount.key, durability.key, missingTables.key,
        missingLog.key, localCopy.key, openingProgress.key, stages.key, fileSystem.key,
        NSPersistentStoreFileProtectionKey,
    ]

    /// The keys of all options.
    package static var keys: [String] { all.map(\.key) }

    /// Throws 134080 for an option whose value is of another type, or out of range. Options that are not known here are
    /// those of a store class of the application's own.
    package static func check(_ options: [AnyHashable: Any]?) throws {
        guard let options, !options.isEmpty else { return }
        for option in all {
            guard let value = options[option.key], !option.accepts(value) else { continue }
            let text = String("\(value)".prefix(textCountMax))
            throw CoreDataError.make(
                .persistentStoreOpen,
                "the store option \(option.key) takes \(option.values), not \(text) (\(type(of: value)))")
        }
    }

    /// Characters of a value in a message.
    private static let textCountMax = 80
}
