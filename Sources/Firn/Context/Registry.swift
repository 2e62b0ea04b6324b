internal import CObjectMaking
import FirnLog
import FirnModel

/// The objects of a context by identity: what makes one instance for each ID.
///
/// References are weak: an object that nobody holds and that has no changes goes away, and is made anew when asked for.
struct Registry {
    /// A reference that, unlike a `weak` one, does not slow down the counting of every other reference to its object.
    /// The memory of an object that is gone stays until its entry is swept.
    private struct Entry {
        private unowned let reference: NSManagedObject

        init(object: NSManagedObject) { reference = object }

        var object: NSManagedObject? {
            let address = unsafeBitCast(self, to: UnsafeMutableRawPointer.self)
            guard let alive = retain_if_alive(address) else { return nil }
            return Unmanaged<NSManagedObject>.fromOpaque(alive).takeRetainedValue()
        }
    }

    /// The objects of one store.
    private struct Shelf {
        let store: NSPersistentStore
        var entries: [ObjectKey: Entry] = [:]
        var sweepCount = 1024
    }

    /// Few, and nearly always one.
    private var shelves: [Shelf] = []
    /// Objects that no store knows yet, by their temporary key.
    private var temporary: [Int64: Entry] = [:]
    private var retained: Set<ObjectReference>?

    mutating func setRetains(_ retains: Bool) {
        retained = retains ? Set(objects.map(ObjectReference.init)) : nil
    }

    func object(for key: ObjectKey, in store: NSPersistentStore?) -> NSManagedObject? {
        if key.primaryKey < 0 { return temporary[key.primaryKey]?.object }
        guard let store else { return nil }
        for index in shelves.indices where shelves[index].store === store {
            return shelves[index].entries[key]?.object
        }
        return nil
    }

    mutating func insert(_ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore?) {
        object.key = key
        object.store = store
        retained?.insert(ObjectReference(object))
        if key.primaryKey < 0 {
            temporary[key.primaryKey] = Entry(object: object)
            return
        }
        guard let store else { return }
        let index = shelfIndex(for: store)
        shelves[index].entries[key] = Entry(object: object)
        if shelves[index].entries.count > shelves[index].sweepCount { sweep(index) }
    }

    mutating func remove(_ object: NSManagedObject) {
        retained?.remove(ObjectReference(object))
        if object.key.primaryKey < 0 {
            temporary[object.key.primaryKey] = nil
        } else if let store = object.store {
            shelves[shelfIndex(for: store)].entries[object.key] = nil
        }
    }

    mutating func removeAll() {
        shelves = []
        temporary = [:]
        if retained != nil { retained = [] }
    }

    private mutating func shelfIndex(for store: NSPersistentStore) -> Int {
        for index in shelves.indices where shelves[index].store === store { return index }
        shelves.append(Shelf(store: store))
        return shelves.count - 1
    }

    /// Drops the entries of objects that are gone; the next sweep comes when the shelf has doubled.
    private mutating func sweep(_ index: Int) {
        shelves[index].entries = shelves[index].entries.filter { $0.value.object != nil }
        shelves[index].sweepCount = max(1024, 2 * shelves[index].entries.count)
    }

    var objects: [NSManagedObject] {
        var result: [NSManagedObject] = []
        forEach { result.append($0) }
        return result
    }

    func forEach(_ body: (NSManagedObject) -> Void) {
        for shelf in shelves {
            for entry in shelf.entries.values {
                if let object = entry.object { body(object) }
            }
        }
        for entry in temporary.values {
            if let object = entry.object { body(object) }
        }
    }
}
