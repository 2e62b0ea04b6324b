public import FirnStore
import FirnLog
import Foundation

extension NSPersistentStore {
    /// The state of the store's shared log as this machine knows it, without asking anybody; nil for a store that has
    /// none. While the server is away, fetches show the state after `head`, and saves fail. Ours, not Apple's.
    public var sharedLogState: SharedLogState? {
        backend?.engine.flatMap { SharedLogState($0.log) }
    }
}
