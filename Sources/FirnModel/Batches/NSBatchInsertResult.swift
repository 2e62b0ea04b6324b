/// What the result of a batch insert is.
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

    package init(_ result: Any?, _ resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
