public import FirnFoundation
public import FirnModel
public import Foundation

/// An object of an atomic store: attributes in the types of Apple's API, relationships as other nodes, or sets or
/// arrays of them.
/// https://developer.apple.com/documentation/coredata/nsatomicstorecachenode
open class NSAtomicStoreCacheNode: NSObject, KeyValueCoding {
    /// The object that it belongs to.
    open private(set) var objectID: NSManagedObjectID
    /// The values by property name.
    open var propertyCache: NSMutableDictionary?

    /// A node for an object.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    open func value(forKey key: String) -> Any? {
        let value = propertyCache?.object(forKey: key)
        return value is NSNull ? nil : value
    }

    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache.setObject(value, forKey: key as NSString) } else { cache.removeObject(forKey: key) }
    }
}
