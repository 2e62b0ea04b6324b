import FirnProjection
import FirnRuntime

/// Objects of a context with a certain mark, in the order in which they got it. Keeps them alive.
///
/// The mark in the object's state is the truth; an entry whose object lost it is skipped, and swept when there are
/// many, so that adding and taking away cost a store to memory each.
struct ObjectList {
    let mark: ObjectState
    private var entries: [NSManagedObject] = []
    private(set) var count = 0
    /// How many objects have come in so far: as long as it stays, no new one has.
    private(set) var arrivals = 0

    init(_ mark: ObjectState) { self.mark = mark }

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ object: NSManagedObject) {
        guard !object.state.contains(mark) else { return }
        // An object that lost the mark and gets it again may still have its old entry, and would be listed twice.
        if entries.count > count { sweep() }
        object.state.insert(mark)
        entries.append(object)
        count += 1
        arrivals += 1
    }

    mutating func remove(_ object: NSManagedObject) {
        guard object.state.contains(mark) else { return }
        object.state.remove(mark)
        count -= 1
        if count == 0 { entries.removeAll() } else if entries.count > 2 * count + 64 { sweep() }
    }

    private mutating func sweep() { entries.removeAll { !$0.state.contains(mark) } }

    /// O(1) if none lost the mark since it got it, else O(entries).
    var objects: [NSManagedObject] {
        entries.count == count ? entries : entries.filter { $0.state.contains(mark) }
    }

    /// The objects that are in a store. Those of no store, which a policy inserted, come into this one if it has their
    /// entity.
    func share(of store: NSPersistentStore, _ schema: StoreSchema?) -> [NSManagedObject] {
        objects.filterUnretained { object in
            if !object.hasStore, schema?.stores(object.entity) ?? false { object.store = store }
            return object.isIn(store)
        }
    }

    /// Removes all objects but those that are left.
    mutating func removeAll(leaving isLeft: ((NSManagedObject) -> Bool)? = nil) {
        let left = isLeft.map { objects.filterUnretained($0) } ?? []
        entries.forEachUnretained { $0.state.remove(mark) }
        entries.removeAll()
        count = 0
        for object in left { insert(object) }
    }
}

/// The changes since pending changes were last processed, for `ObjectsDidChange`.
struct PendingChanges {
    var inserted = ObjectList(.pendingInsert)
    var updated = ObjectList(.pendingUpdate)
    var deleted = ObjectList(.pendingDelete)
    var refreshed = ObjectList(.pendingRefresh)
    var invalidated = ObjectList(.pendingInvalidation)
    /// Deleted objects whose delete rules still have to act.
    var undispatchedDeletes: [NSManagedObject] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && undispatchedDeletes.isEmpty
    }

    mutating func removeAll() {
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        refreshed.removeAll()
        invalidated.removeAll()
        undispatchedDeletes.removeAll()
    }
}

/// The sets of objects in the notifications of one save: `ObjectsDidChange` and `DidSave` mostly name the same objects,
/// and a set of many takes long to make.
struct NotifiedSets {
    /// Whether sets are kept for the save that is at work.
    var isKeeping = false { didSet { kept = [:] } }
    /// The lists and their sets, by the first object. A save has an event for each conflict, and cannot compare all.
    private var kept: [ObjectIdentifier: (objects: [NSManagedObject], set: Set<NSManagedObject>)] = [:]

    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        guard isKeeping, let first = objects.first.map(ObjectIdentifier.init) else { return Set(sizedFor: objects) }
        if let known = kept[first], known.objects.elementsEqual(objects, by: ===) { return known.set }
        let set = Set(sizedFor: objects)
        kept[first] = (objects, set)
        return set
    }
}

/// The objects with changes, as lists: a set hashes each.
extension NSManagedObjectContext {
    /// The objects that the next save inserts.
    package final var insertedList: [NSManagedObject] { inserted.objects }
    /// The objects that the next save updates.
    package final var updatedList: [NSManagedObject] { updated.objects.filter(\.isUpdated) }
    /// The objects that the next save deletes.
    package final var deletedList: [NSManagedObject] { deleted.objects }
}
