import FirnRuntime
import Synchronization

/// The store that permanent object IDs belong to. All IDs of an opened store share one.
package final class StoreIdentity: @unchecked Sendable {
    /// Makes the key part of an object's URI from a root entity's number and a primary key.
    package typealias KeyText = @Sendable (UInt32, Int64) -> String

    private let currentIdentifier: Mutex<String>
    /// The store, as an object of the layer above. Set once, before any ID is handed out; read from any thread.
    package var store: AnyObject? {
        get { storeReference?.object }
        set { storeReference = newValue.map(WeakReference.init) }
    }
    private var storeReference: WeakReference<AnyObject>?
    /// Nil if the URI holds the primary key, which is then valid wherever the store is open. Other stores assign
    /// primary keys for one opening only.
    package let keyText: KeyText?

    package init(identifier: String, store: AnyObject? = nil, keyText: KeyText? = nil) {
        currentIdentifier = Mutex(identifier)
        storeReference = store.map(WeakReference.init)
        self.keyText = keyText
    }

    /// The store's UUID as text. It is known when the store is open, at the latest.
    package var identifier: String {
        get { currentIdentifier.withLock { $0 } }
        set { currentIdentifier.withLock { $0 = newValue } }
    }
}
