public import Foundation

/// The kind of a request. The numbers are Apple's.
///
/// https://developer.apple.com/documentation/coredata/nspersistentstorerequesttype
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A fetch.
    case fetchRequestType = 1
    /// A save.
    case saveRequestType = 2
    /// A batch insert.
    case batchInsertRequestType = 5
    /// A batch update.
    case batchUpdateRequestType = 6
    /// A batch delete.
    case batchDeleteRequestType = 7
}

/// A request to persistent stores: what fetches, saves and batch operations have in common.
///
/// It is sendable, so that one actor can make it and a block of `perform` can use it. It must not be changed while
/// another thread uses it.
///
/// https://developer.apple.com/documentation/coredata/nspersistentstorerequest
open class NSPersistentStoreRequest: NSObject, NSCopying, @unchecked Sendable {
    /// The kind of the request. Every subclass must override it.
    open var requestType: NSPersistentStoreRequestType {
        misuse("A subclass of NSPersistentStoreRequest must override requestType.")
    }

    /// The stores that the request concerns, for `affectedStores` of the layer above; nil for all.
    package final var affectedStoreObjects: [AnyObject]?

    public override init() { super.init() }

    open func copy(with zone: NSZone? = nil) -> Any {
        misuse("A subclass of NSPersistentStoreRequest must override copy(with:) to be copied.")
    }
}
