import Firn
import FirnLog
import FirnStore
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Options of stores")
struct StoreOptionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func add(_ options: [AnyHashable: Any], _ type: String = NSSQLiteStoreType) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: directory.file("Library.sqlite"), options: options)
        try coordinator.remove(store)
    }

    /// A kind of value, with the options that take it.
    private enum Kind: CaseIterable {
        case flags, counts, seconds, pragmas, durability, missingTables, places, progress, stages, fileSystems, texts
        case sets, missingLog, historyTables

        var keys: [String] {
            switch self {
            case .flags:
                [
                    NSReadOnlyPersistentStoreOption, NSMigratePersistentStoresAutomaticallyOption,
                    NSInferMappingModelAutomaticallyOption, NSIgnorePersistentStoreVersioningOption,
                    NSPersistentStoreDeferredLightweightMigrationOptionKey,
                    NSPersistentStoreRemoteChangeNotificationPostOptionKey, NSPersistentStoreForceDestroyOption,
                    NSSQLiteManualVacuumOption, NSSQLiteAnalyzeOption, NSPersistentHistoryTrackingKey,
                    NSBinaryStoreInsecureDecodingCompatibilityOption,
                ]
            case .counts: [NSPersistentStoreConnectionPoolMaxSizeKey, PersistentStoreRowCacheSizeOption]
            case .seconds: [NSPersistentStoreTimeoutOption]
            case .pragmas: [NSSQLitePragmasOption]
            case .durability: [PersistentStoreDurabilityOption]
            case .missingTables: [PersistentStoreMissingTablesOption]
            case .missingLog: [PersistentStoreMissingLogOption]
            case .historyTables: [PersistentStoreHistoryTablesOption]
            case .places: [PersistentStoreLocalCopyOption]
            case .progress: [PersistentStoreOpeningProgressOption]
            case .stages: [NSPersistentStoreStagedMigrationManagerOptionKey]
            case .fileSystems: [PersistentStoreFileSystemOption]
            case .texts: [NSPersistentStoreFileProtectionKey]
            case .sets: [NSBinaryStoreSecureDecodingClasses]
            }
        }
    }

    /// Values by what they are, with the kinds of options that take them.
    private static var values: [(name: String, value: Any, takers: Set<Kind>)] {
        [
            ("true", true, [.flags]), ("NSNumber true", NSNumber(value: true), [.flags]),
            ("0", 0, [.flags, .counts, .seconds]), ("NSNumber 1", NSNumber(value: 1), [.flags, .counts, .seconds]),
            ("7", 7, [.counts, .seconds]), ("-1", -1, []), ("1.5", 1.5, [.seconds]), ("-0.5", -0.5, []),
            ("NaN", Double.nan, []), ("infinity", Double.infinity, [.seconds]), ("-infinity", -Double.infinity, []),
            ("1e300", 1e300, [.seconds]), ("Int64.max", Int64.max, [.counts, .seconds]),
            ("UInt64.max", UInt64.max, [.seconds]), ("an empty text", "", [.texts]),
            ("a word", "often", [.texts, .places]), ("YES", "YES", [.texts, .places]),
            ("synced", "synced", [.durability, .texts, .places]), ("system", "system", [.durability, .texts, .places]),
            ("bounded", "bounded", [.durability, .texts, .places]),
            ("bounded 5", "bounded 5", [.durability, .texts, .places]),
            ("bounded -1", "bounded -1", [.texts, .places]), ("bounded many", "bounded many", [.texts, .places]),
            ("bounded 1 2", "bounded 1 2", [.texts, .places]), ("system 1", "system 1", [.texts, .places]),
            ("bounded 9223372036854775807", "bounded 9223372036854775807", [.texts, .places]),
            ("rebuild", "rebuild", [.missingTables, .texts, .places]),
            ("adopt", "adopt", [.missingLog, .texts, .places]),
            ("never", "never", [.historyTables, .texts, .places]), ("NSNull", NSNull(), []), ("a date", Date(), []),
            ("data", Data([1]), []), ("a web URL", URL(string: "https://example.org") as Any, []),
            ("a file URL", URL(fileURLWithPath: "/tmp/copy"), [.places]), ("an array", [1, 2], [.sets]),
            ("an NSSet", NSSet(object: "x"), [.sets]), ("a dictionary of words", ["cache_size": "-8000"], [.pragmas]),
            ("an NSDictionary", NSDictionary(dictionary: ["cache_size": NSNumber(value: -8000)]), [.pragmas]),
            ("a dictionary with SQL", ["cache_size": "1; DROP TABLE Author"], []),
            ("a dictionary with a date", ["cache_size": Date()], []), ("a dictionary of numbers", [1: 2], []),
            ("an object", NSObject(), []), ("progress", OpeningProgress { _ in }, [.progress]),
            ("stages", NSStagedMigrationManager([]), [.stages]), ("a file system", PosixFileSystem(), [.fileSystems]),
        ]
    }

    @Test("Every option is in the table of values that this suite tries")
    func allKeys() { #expect(Set(StoreOptions.keys) == Set(Kind.allCases.flatMap(\.keys))) }

    @Test("Every option refuses every value of another type or out of range, and names itself")
    func refusals() {
        for kind in Kind.allCases {
            for key in kind.keys {
                for (name, value, takers) in Self.values where !takers.contains(kind) {
                    let error = #expect(throws: NSError.self, "\(key) with \(name)") { try add([key: value]) }
                    #expect(error?.code == CocoaError.Code.persistentStoreOpen.rawValue)
                    #expect(error?.localizedDescription.contains("the store option \(key) takes ") == true)
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("Library.sqlite-log").path))
    }

    @Test("Every option takes every value of its type")
    func acceptance() {
        for kind in Kind.allCases {
            for key in kind.keys {
                for (name, value, takers) in Self.values where takers.contains(kind) {
                    #expect(throws: Never.self, "\(key) with \(name)") { try StoreOptions.check([key: value]) }
                }
            }
        }
    }

    @Test(
        "A store waits as long as it takes with a timeout that no number of microseconds holds",
        arguments: [Double.infinity, 1e300, Double(Int64.max), 9e12])
    func longTimeouts(_ seconds: Double) throws {
        let coordinator = try Library.onDisk(directory, options: [NSPersistentStoreTimeoutOption: seconds])
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        #expect(try context.strings("Author", "name") == ["Ada"])
    }

    @Test("A log waits for its lock until the end of time, if that is how long its options say", arguments: [1, -1])
    func lockTimeouts(_ sign: Int64) throws {
        let options = LogOptions(durability: .bounded(microseconds: .max * sign), lockTimeout: .max)
        let log = try SegmentLog.create(
            directory: directory.file("log").path, storeID: .random(), options: options, date: 1)
        defer { log.close() }
        let header = TransactionHeader(date: 1, id: .random())
        let sequence = try log.exclusively { try log.append(.reservation([:]), header: header) }
        try log.acknowledge(through: sequence)
        #expect(log.head == 1)
    }

    @Test("A store description with a wrong option gives its error to the completion handler")
    func descriptions() throws {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        description.setOption("soon" as NSString, forKey: NSPersistentStoreTimeoutOption)
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        container.persistentStoreDescriptions = [description]
        var texts: [String] = []
        container.loadPersistentStores { texts.append($1?.localizedDescription ?? "") }
        #expect(texts.first?.contains(NSPersistentStoreTimeoutOption) == true)
    }

    @Test("A durability that is no time is refused by the description's property too")
    func durabilityProperty() throws {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        description.durability = .bounded(microseconds: -1)
        #expect(throws: NSError.self) { try add(description.options) }
    }

    @Test("Stores of every type check their options", arguments: [NSInMemoryStoreType, NSBinaryStoreType])
    func types(_ type: String) {
        #expect(throws: NSError.self) { try add([NSReadOnlyPersistentStoreOption: "no"], type) }
    }

    @Test("A store is not destroyed with an option that is none")
    func destroying() throws {
        let coordinator = try Library.onDisk(directory)
        try coordinator.remove(coordinator.persistentStores[0])
        let url = directory.file("Library.sqlite")
        #expect(throws: NSError.self) {
            try coordinator.destroyPersistentStore(
                at: url, type: .sqlite, options: [NSPersistentStoreForceDestroyOption: "yes"])
        }
        #expect(FileManager.default.fileExists(atPath: url.path))
    }

    @Test("A store takes an option of a class of the application's own that has no meaning here")
    func unknown() throws { try add(["LibraryOption": Date()]) }

    @Test("Descriptions that say the same are equal, and a copy is")
    func equalDescriptions() throws {
        #expect(NSPersistentStoreDescription() == NSPersistentStoreDescription())
        let description = NSPersistentStoreDescription(url: URL(filePath: "/tmp/Shop.sqlite"))
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(Set([description, copy]).count == 1)
        copy.isReadOnly = true
        #expect(description != copy)
    }
}
