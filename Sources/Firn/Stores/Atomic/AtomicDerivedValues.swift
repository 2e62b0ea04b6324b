import FirnStore
import FirnLog
import FirnModel
import FirnProjection

/// Derived values on their way into the objects of a save: the file of an atomic store is written from objects.
final class AtomicDerivedValues {
    private let context: NSManagedObjectContext
    /// The objects that are saved, by key.
    private var saved: [ObjectKey: NSManagedObject] = [:]
    private let deleted: Set<ObjectKey>
    /// Any object of the save: others are of its store.
    private let first: NSManagedObject?
    private var written: [(object: NSManagedObject, slot: Int)] = []
    /// Objects that are part of the save only for their derived values.
    private(set) var added: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext, saved: [NSManagedObject], deleted: [NSManagedObject]) {
        self.context = context
        self.deleted = Set(deleted.map(\.key))
        first = saved.first ?? deleted.first
        for object in saved { self.saved[object.key] = object }
    }

    func apply(_ values: [DerivedRow], _ engine: StoreEngine) throws {
        for derived in values {
            if let object = saved[derived.key] {
                for (slot, stored) in derived.values { _ = write(stored, slot, object) }
                continue
            }
            guard let first, !deleted.contains(derived.key), let row = try engine.snapshot(derived.key)
            else { continue }
            // Most of those that are concerned keep the values that they have.
            if derived.values.allSatisfy({ row.value($0.slot) == $0.stored }) { continue }
            let object = context.object(for: derived.key, inStoreOf: first)
            if object.isDeleted { continue }
            if object.isFault { object.realize(row) }
            if object.snapshot?.version != row.version { object.rebase(onto: row) }
            var isChanged = false
            for (slot, stored) in derived.values where write(stored, slot, object) { isChanged = true }
            if isChanged { added.append(object) }
        }
    }

    /// The save failed: objects are as they were before it.
    func rollBack() {
        for (object, slot) in written { object.dropChange(slot) }
    }

    /// Says whether the value is another one than the store has.
    private func write(_ stored: PropertyValue, _ slot: Int, _ object: NSManagedObject) -> Bool {
        if let snapshot = object.snapshot, snapshot.value(slot) == stored {
            if object.changed.contains(slot) { object.dropChange(slot) }
            return false
        }
        object.write(AttributeCoding.slotValue(stored, object.layout.slots[slot]), slot)
        object.changed.insert(slot)
        written.append((object, slot))
        return true
    }
}
