public import Foundation

/// What a request that is not a fetch gave.
/// https://developer.apple.com/documentation/coredata/nspersistentstoreresult
open class NSPersistentStoreResult: NSObject {
    public override init() { super.init() }
}
