import FirnLog
import FirnModel

/// The objects of a context by identity: what makes one instance for each ID.
///
/// References are weak: an object that nobody holds and that has no changes goes away, and is made anew when asked for.
struct Registry {
    /// The objects of one store.
    private struct Shelf {
        let store: NSPersistentStore
        let objects = ObjectPages()
        var sweepCount = 1024
    }

    /// Few, and nearly always one.
    private var shelves: [Shelf] = []
    /// Objects that no store knows yet, by their temporary key.
    private var temporary = ObjectPages()
    private var temporarySweepCount = 1024
    private var retained: Set<ObjectReference>?

    mutating func setRetains(_ retains: Bool) {
        retained = retains ? Set(objects.map(ObjectReference.init)) : nil
    }

    func object(for key: ObjectKey, in store: NSPersistentStore?) -> NSManagedObject? {
        if key.primaryKey < 0 { return temporary.object(for: key) }
        guard let store else { return nil }
        for index in shelves.indices where shelves[index].store === store {
            return shelves[index].objects.object(for: key)
        }
        return nil
    }

    mutating func insert(_ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore?) {
        object.key = key
        object.store = store
        retained?.insert(ObjectReference(object))
        if key.primaryKey < 0 {
            temporary.insert(object, for: key)
            if temporary.count > temporarySweepCount {
                temporary.sweep()
                temporarySweepCount = max(1024, 2 * temporary.count)
            }
            return
        }
        guard let store else { return }
        let index = shelfIndex(for: store)
        shelves[index].objects.insert(object, for: key)
        if shelves[index].objects.count > shelves[index].sweepCount { sweep(index) }
    }

    mutating func remove(_ object: NSManagedObject) {
        retained?.remove(ObjectReference(object))
        if object.key.primaryKey < 0 {
            temporary.remove(object.key)
        } else if let store = object.store {
            shelves[shelfIndex(for: store)].objects.remove(object.key)
        }
    }

    mutating func removeAll() {
        shelves = []
        temporary = ObjectPages()
        if retained != nil { retained = [] }
    }

    private mutating func shelfIndex(for store: NSPersistentStore) -> Int {
        for index in shelves.indices where shelves[index].store === store { return index }
        shelves.append(Shelf(store: store))
        return shelves.count - 1
    }

    /// Drops the entries of objects that are gone; the next sweep comes when the shelf has doubled.
    private mutating func sweep(_ index: Int) {
        shelves[index].objects.sweep()
        shelves[index].sweepCount = max(1024, 2 * shelves[index].objects.count)
    }

    /// The objects that are alive. O(all).
    var objects: [NSManagedObject] { shelves.flatMap(\.objects.objects) + temporary.objects }

    /// Calls `body`, which may change the registry, with the objects that are alive.
    func forEach(_ body: (NSManagedObject) -> Void) { objects.forEach(body) }
}
