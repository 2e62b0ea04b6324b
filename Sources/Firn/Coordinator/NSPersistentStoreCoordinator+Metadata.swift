import FirnStore
public import FirnModel
public import Foundation

/// Metadata and models of a store that is not open.
extension NSPersistentStoreCoordinator {
    static func metadata(_ type: String?, _ url: URL) throws -> [String: Any] {
        try StoreClasses.named(type ?? NSSQLiteStoreType).metadataForPersistentStore(with: url)
    }

    static func setMetadata(_ metadata: [String: Any]?, _ type: String?, _ url: URL) throws {
        try StoreClasses.named(type ?? NSSQLiteStoreType).setMetadata(metadata, forPersistentStoreAt: url)
    }

    /// The metadata of a store that is not open.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// Sets the metadata of a store.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }

    /// The model that the store on disk at `url` was last written with: its log carries it. Nil if nothing was written
    /// yet.
    public class func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel? {
        try StoredMetadata(url: url.standardizedFileURL).model()
    }
}
