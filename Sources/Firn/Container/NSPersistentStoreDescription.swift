import FirnModel
public import Foundation

/// Where a store is and how it is to be opened.
/// https://developer.apple.com/documentation/coredata/nspersistentstoredescription
open class NSPersistentStoreDescription: NSObject, NSCopying {
    open var type = NSSQLiteStoreType
    open var configuration: String?
    open var url: URL?
    open var timeout: TimeInterval = 240
    open var isReadOnly = false
    open var shouldAddStoreAsynchronously = false
    open var shouldMigrateStoreAutomatically = true
    open var shouldInferMappingModelAutomatically = true
    open private(set) var options: [String: NSObject] = [:]
    open private(set) var sqlitePragmas: [String: NSObject] = [:]

    public init(url: URL) {
        self.url = url
        super.init()
    }

    public override init() { super.init() }

    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    open func setValue(_ value: NSObject?, forPragmaNamed name: String) { sqlitePragmas[name] = value }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        copy.type = type
        copy.configuration = configuration
        copy.url = url
        copy.timeout = timeout
        copy.isReadOnly = isReadOnly
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.shouldMigrateStoreAutomatically = shouldMigrateStoreAutomatically
        copy.shouldInferMappingModelAutomatically = shouldInferMappingModelAutomatically
        copy.options = options
        copy.sqlitePragmas = sqlitePragmas
        return copy
    }

    /// All that the description says, as options of `addPersistentStore`.
    var storeOptions: [AnyHashable: Any] {
        var result: [AnyHashable: Any] = options
        result[NSReadOnlyPersistentStoreOption] = NSNumber(value: isReadOnly)
        result[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: shouldMigrateStoreAutomatically)
        result[NSInferMappingModelAutomaticallyOption] = NSNumber(value: shouldInferMappingModelAutomatically)
        result[NSPersistentStoreTimeoutOption] = NSNumber(value: timeout)
        if !sqlitePragmas.isEmpty { result[NSSQLitePragmasOption] = sqlitePragmas }
        return result
    }
}
