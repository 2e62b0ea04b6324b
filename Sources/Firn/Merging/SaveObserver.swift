/// Hears of every save to a coordinator's stores: of its own contexts, of batch requests, of other coordinators and of
/// other processes. Called on the thread that saved, or that noticed what another one saved.
package struct SaveObserver: CoordinatorObserver {
    /// The context that saved, nil for a batch request and for others; and what was saved, made when it is called.
    package typealias DidSave = @Sendable (_ context: NSManagedObjectContext?, _ change: () -> RemoteChange) -> Void

    let didSaveHandler: DidSave
    let historyGapHandler: @Sendable (NSPersistentStore) -> Void

    /// `historyGap` is called when others wrote more than can be said: anything of the store may have changed.
    package init(didSave: @escaping DidSave, historyGap: @escaping @Sendable (NSPersistentStore) -> Void) {
        didSaveHandler = didSave
        historyGapHandler = historyGap
    }

    func didSave(_ context: NSManagedObjectContext?, _ change: () -> RemoteChange) { didSaveHandler(context, change) }
    func historyGap(of store: NSPersistentStore) { historyGapHandler(store) }
}

extension NSPersistentStoreCoordinator {
    /// Hears of every save to the stores.
    package final var saveObserver: SaveObserver? {
        get { observer as? SaveObserver }
        set { observer = newValue }
    }
}
