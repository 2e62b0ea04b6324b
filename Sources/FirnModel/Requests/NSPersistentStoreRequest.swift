public import Foundation

import func FirnFoundation.misuse

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

/// The result of a request that is not a fetch.
/// https://developer.apple.com/documentation/coredata/nspersistentstoreresult
open class NSPersistentStoreResult: NSObject {
    public override init() { super.init() }
}

/// The kind of result of a batch insert.
/// https://developer.apple.com/documentation/coredata/nsbatchinsertrequestresulttype
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it was done.
    case statusOnly = 0
    /// The IDs of the objects that were inserted, or updated instead.
    case objectIDs = 1
    /// How many objects were inserted.
    case count = 2
}

/// The result of a batch insert. https://developer.apple.com/documentation/coredata/nsbatchinsertresult
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// A Boolean, object IDs or a count, as the type says.
    open private(set) var result: Any?
    /// The kind of result.
    open private(set) var resultType: NSBatchInsertRequestResultType

    /// Makes a result without a value, for a subclass that stands in for one.
    public override init() { resultType = .statusOnly }

    package init(_ result: Any?, _ resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
