public import Foundation

/// The result of a request that is not a fetch.
/// https://developer.apple.com/documentation/coredata/nspersistentstoreresult
open class NSPersistentStoreResult: NSObject {
    public override init() { super.init() }
}
