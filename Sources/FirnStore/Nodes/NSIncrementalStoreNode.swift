public import FirnModel
public import Foundation

/// An object's values as an incremental store has them: attributes in the types of Apple's API, to-one relationships as
/// object IDs, nothing as `NSNull` or left out.
/// https://developer.apple.com/documentation/coredata/nsincrementalstorenode
open class NSIncrementalStoreNode: NSObject, @unchecked Sendable {
    /// The object that it belongs to.
    open private(set) var objectID: NSManagedObjectID
    /// Rises with every change of the object; what conflicts are told by.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// A row of an incremental store.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Takes newer values; those of other properties stay.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values.merge(values) { $1 }
        self.version = version
    }

    /// The value of a property; nil if the node does not tell it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
