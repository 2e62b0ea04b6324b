import Synchronization

/// The store that permanent object IDs belong to. All IDs of an opened store share one.
package final class StoreIdentity: @unchecked Sendable {
    /// What stands for an object's key in its URI, of a root entity's number and a primary key.
    package typealias KeyText = @Sendable (UInt32, Int64) -> String

    private let currentIdentifier: Mutex<String>
    /// The store, as an object of the layer above. Set once, before any ID is handed out; read from any thread.
    package var store: AnyObject? {
        get { storeReference?.object }
        set { storeReference = newValue.map(FadingReference.init) }
    }
    @exclusivity(unchecked) private var storeReference: FadingReference<AnyObject>?
    /// Nil where it is the primary key, which then means the same wherever the store is open. Elsewhere keys hold for
    /// one opening of the store.
    package let keyText: KeyText?

    package init(identifier: String, store: AnyObject? = nil, keyText: KeyText? = nil) {
        currentIdentifier = Mutex(identifier)
        storeReference = store.map(FadingReference.init)
        self.keyText = keyText
    }

    /// The store's UUID as text. A store learns it at the latest when it is open.
    package var identifier: String {
        get { currentIdentifier.withLock { $0 } }
        set { currentIdentifier.withLock { $0 = newValue } }
    }
}
