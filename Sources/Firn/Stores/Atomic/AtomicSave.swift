import FirnStore
import FirnModel

/// The saving of changes into an atomic store: while nobody else writes, its file first, then the tables in memory.
///
///     keys → reference objects → derived values → nodes → file → tables
final class AtomicSave: SaveOperation {
    private let atomicStore: NSAtomicStore
    private var derived: AtomicDerivedValues?

    init(_ change: ObjectChange, context: NSManagedObjectContext, store: NSAtomicStore, engine: StoreEngine) {
        atomicStore = store
        super.init(change, context: context, store: store, engine: engine)
    }

    /// True: what the file has must be in the tables at once.
    override var needsPreference: Bool { true }

    override func commit(_ transaction: Transaction) throws -> CommitResult {
        var prepared = try engine.prepare(transaction)
        let derived = AtomicDerivedValues(context, saved: inserted + updated, deleted: deleted)
        self.derived = derived
        try derived.apply(prepared.derived, engine)
        try atomicStore.write(inserted: inserted, updated: updated + derived.added, deleted: deleted)
        return try engine.commit(&prepared)
    }

    override func rollBack() {
        atomicStore.rollBack()
        derived?.rollBack()
        super.rollBack()
    }
}
