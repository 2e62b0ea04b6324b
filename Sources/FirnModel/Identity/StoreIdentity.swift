/// The store that permanent object IDs belong to. All IDs of an opened store share one.
package final class StoreIdentity: @unchecked Sendable {
    /// The store's UUID as text.
    package let identifier: String
    /// The store, as an object of the layer above. Set once, before any ID is handed out; read from any thread.
    package weak var store: AnyObject?

    package init(identifier: String, store: AnyObject? = nil) {
        self.identifier = identifier
        self.store = store
    }
}
