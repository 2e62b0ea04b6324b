public import Foundation

/// Where a store is and how it is to be opened. What has a property of its own is an option too: setting one sets the
/// other.
/// https://developer.apple.com/documentation/coredata/nspersistentstoredescription
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The kind of the store.
    open var type = NSSQLiteStoreType
    /// The configuration of the model that the store has.
    open var configuration: String?
    /// `/dev/null`, a store in memory, if nothing else is said.
    open var url: URL?
    /// Whether the store is opened on another thread.
    open var shouldAddStoreAsynchronously = false
    /// All that the description says, as options of `addPersistentStore`.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// A store at a URL.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    public override init() {
        url = NullDevice.url
        super.init()
    }

    /// How long a save waits for another program that is saving, in seconds; 240 by itself.
    open var timeout: TimeInterval {
        get { StoreOptions.timeout.value(in: options) ?? 240 }
        set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }

    /// Whether the store is opened for reading only.
    open var isReadOnly: Bool {
        get { StoreOptions.isReadOnly.isSet(in: options) }
        set { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }

    /// Whether a store of another model is migrated when it is opened.
    open var shouldMigrateStoreAutomatically: Bool {
        get { StoreOptions.migrates.isSet(in: options) }
        set { options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// Whether a migration without a mapping model infers one.
    open var shouldInferMappingModelAutomatically: Bool {
        get { StoreOptions.infersMapping.isSet(in: options) }
        set { options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    /// SQLite's settings by the names of its pragmas.
    open var sqlitePragmas: [String: NSObject] {
        let pragmas = options[NSSQLitePragmasOption] as? NSDictionary ?? NSDictionary()
        return pragmas as? [String: NSObject] ?? [:]
    }

    /// Sets an option of the store.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Sets one of SQLite's pragmas.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas)
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.options = options
        return copy
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && configuration == other.configuration && url == other.url
            && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously && options == other.options
    }

    /// Of what identifies the store. Options are changed after a description was put into a set.
    open override var hash: Int { type.hashValue ^ (url?.hashValue ?? 0) }

    /// `timeout` holds without being set.
    package var storeOptions: [AnyHashable: Any] {
        var result: [AnyHashable: Any] = options
        if result[NSPersistentStoreTimeoutOption] == nil {
            result[NSPersistentStoreTimeoutOption] = NSNumber(value: timeout)
        }
        return result
    }
}
