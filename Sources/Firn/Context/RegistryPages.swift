import FirnRuntime
import FirnStore

/// Objects by their keys, none of them kept alive: next to its entry the table holds an object's memory, not the
/// object.
final class RegistryPages {
    // Confined to the context's queue, and read for every object that a fetch finds: the runtime's checks would show.
    @exclusivity(unchecked) private var table = PointerPages()
    /// With more entries than this, those of objects that are gone are looked for.
    @exclusivity(unchecked) private var sweepCount = 1024

    deinit {
        for entry in table.entries { entry.releaseMemory() }
    }

    /// The object with this key, if it is alive. O(1).
    func object(for key: ObjectKey) -> NSManagedObject? {
        table.entry(for: key).flatMap { $0.alive(as: NSManagedObject.self) }
    }

    /// Takes an object in, in place of the one that had the key before. O(1) on average.
    func insert(_ object: NSManagedObject, for key: ObjectKey) {
        let entry = ObjectAddress(of: object)
        entry.holdMemory()
        if let old = table.update(entry, for: key) { old.releaseMemory() }
        if table.count > sweepCount { sweep() }
    }

    /// Takes the object over that another table has under `oldKey`: its memory stays held. O(1) on average.
    func move(_ object: NSManagedObject, from other: RegistryPages, _ oldKey: ObjectKey, to key: ObjectKey) {
        let held = other.table.remove(oldKey)
        let entry = ObjectAddress(of: object)
        guard held == entry else {
            if let held { held.releaseMemory() }
            return insert(object, for: key)
        }
        if let old = table.update(entry, for: key) { old.releaseMemory() }
    }

    /// To be called before many objects that are alive come in: until they have, nothing is looked through.
    func expect(_ count: Int) { sweepCount = max(sweepCount, 2 * (table.count + count)) }

    /// Call before an object comes in, with how many of those here are known to be alive: while they are most of
    /// them, nothing is looked through.
    @inline(__always)
    func expect(alive count: Int) {
        if table.count == sweepCount { sweepCount = max(sweepCount, 2 * count) }
    }

    func remove(_ key: ObjectKey) {
        if let entry = table.remove(key) { entry.releaseMemory() }
    }

    /// Drops the entries of objects that are gone, and does so again when there are twice as many. O(entries).
    private func sweep() {
        table.removeAll { entry in
            guard entry.isGone else { return false }
            entry.releaseMemory()
            return true
        }
        sweepCount = max(1024, 2 * table.count)
    }

    var objects: [NSManagedObject] { table.entries.compactMap { $0.alive(as: NSManagedObject.self) } }
}
