public import Foundation

/// What a request asks of a store. The numbers are Apple's.
///
/// https://developer.apple.com/documentation/coredata/nspersistentstorerequesttype
public enum NSPersistentStoreRequestType: UInt, Sendable {
    case fetchRequestType = 1
    case saveRequestType = 2
    case batchInsertRequestType = 5
    case batchUpdateRequestType = 6
    case batchDeleteRequestType = 7
}

/// A request to persistent stores: what fetches, saves and batch operations have in common.
///
/// It is sendable so that it can be made on one actor and used in a block of `perform`; it must not be changed while
/// another thread uses it.
///
/// https://developer.apple.com/documentation/coredata/nspersistentstorerequest
open class NSPersistentStoreRequest: NSObject, NSCopying, @unchecked Sendable {
    /// What is asked. Every subclass says.
    open var requestType: NSPersistentStoreRequestType {
        misuse("A subclass of NSPersistentStoreRequest must override requestType.")
    }

    /// The stores to ask, as `affectedStores` of the layer above; nil for all.
    @exclusivity(unchecked) package final var affectedStoreObjects: [AnyObject]?

    public override init() { super.init() }

    open func copy(with zone: NSZone? = nil) -> Any {
        misuse("A subclass of NSPersistentStoreRequest must override copy(with:) to be copied.")
    }
}
