import FirnModel
import FirnRuntime
import FirnStore

/// The objects of a context by identity: what makes one instance for each ID.
///
/// References are weak: an object that nobody holds and that has no changes goes away, and is made again when asked
/// for.
struct Registry {
    private struct StoreObjects {
        let store: NSPersistentStore
        /// The identity by which IDs refer to the store.
        let identity: StoreIdentity?
        let objects = RegistryPages()
    }

    /// Few, and nearly always one.
    private var stores: [StoreObjects] = []
    /// Objects that no store knows yet, by their temporary key.
    private var temporary = RegistryPages()
    /// Objects on no page, as their store is gone or unknown. A context that goes away has to let go of them too.
    private var unplaced: [WeakReference<NSManagedObject>] = []
    /// All objects, held strongly; nil unless the context has `retainsRegisteredObjects`.
    private var retained: Set<ObjectReference>?
    /// The store whose ID was looked up last: where objects are looked for first.
    private(set) var lastUsed: LastUsedStore?

    /// A store and its objects. `stores` keeps them alive, so that these references need not be counted.
    struct LastUsedStore {
        fileprivate let identity: UncountedReference<StoreIdentity>
        fileprivate let store: UncountedReference<NSPersistentStore>
        let pages: UncountedReference<RegistryPages>

        /// Whether an ID is a permanent one of this store.
        @inline(__always)
        func holds(_ id: NSManagedObjectID) -> Bool {
            id.storeIdentity.map { UncountedReference($0).address } == identity.address && !id.isTemporaryID
        }
    }

    /// To be called with the identity of a store of this context's own coordinator.
    mutating func setLastUsed(_ identity: StoreIdentity) {
        lastUsed = place(of: identity).map { place in
            LastUsedStore(
                identity: UncountedReference(identity), store: UncountedReference(place.store),
                pages: UncountedReference(place.pages))
        }
    }

    /// The context has another source.
    mutating func discardLastUsed() { lastUsed = nil }

    mutating func setRetains(_ retains: Bool) {
        retained = retains ? Set(objects.map(ObjectReference.init)) : nil
    }

    func object(for key: ObjectKey, in store: NSPersistentStore?) -> NSManagedObject? {
        if key.isTemporary { return temporary.object(for: key) }
        guard let store else { return nil }
        for index in stores.indices where stores[index].store === store {
            return stores[index].objects.object(for: key)
        }
        return nil
    }

    mutating func insert(_ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore?) {
        if key.isTemporary {
            insert(object, key: key, store: store, in: temporary)
        } else if let store {
            insert(object, key: key, store: store, in: pages(of: store))
        } else {
            insert(object, key: key, store: nil, in: nil)
        }
    }

    /// Inserts a new object. `heldCount` unsaved objects are known to be alive: while these are most of the table, it
    /// is not searched for dead ones.
    @inline(__always)
    mutating func insertNew(_ object: NSManagedObject, besides heldCount: Int) {
        if object.key.isTemporary { temporary.expect(alive: heldCount) }
        insert(object, key: object.key, store: object.store)
    }

    /// Inserts an object whose place is known.
    @inline(__always)
    mutating func insert(
        _ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore?, in pages: RegistryPages?
    ) {
        object.key = key
        object.store = store
        if retained != nil { retained?.insert(ObjectReference(object)) }
        if let pages { pages.insert(object, for: key) } else { insertUnplaced(object) }
    }

    private mutating func insertUnplaced(_ object: NSManagedObject) {
        if unplaced.count == unplaced.capacity { unplaced.removeAll { $0.object == nil } }
        unplaced.append(WeakReference(object))
    }

    /// Removes a store that is gone, and its objects.
    mutating func remove(_ store: NSPersistentStore) {
        guard let index = stores.firstIndex(where: { $0.store === store }) else { return }
        for object in stores[index].objects.objects {
            retained?.remove(ObjectReference(object))
            insertUnplaced(object)
        }
        stores.remove(at: index)
        lastUsed = nil
    }

    @inline(__always)
    mutating func insert(_ object: NSManagedObject, _ place: LastUsedStore) {
        place.store.with { store in
            place.pages.with { insert(object, key: object.key, store: store, in: $0) }
        }
    }

    /// Gives a new object its permanent place, which is in `pages`.
    @inline(__always)
    mutating func move(
        _ object: NSManagedObject, to key: ObjectKey, store: NSPersistentStore, in pages: RegistryPages
    ) {
        pages.move(object, from: temporary, object.key, to: key)
        object.key = key
        object.store = store
    }

    /// The objects of one store: a table that follows as they come and go.
    mutating func pages(of store: NSPersistentStore) -> RegistryPages { stores[index(for: store)].objects }

    /// The store that IDs refer to by `identity`, and where its objects are, if any was ever here.
    @inline(__always)
    func place(of identity: StoreIdentity) -> (store: NSPersistentStore, pages: RegistryPages)? {
        for index in stores.indices where stores[index].identity === identity {
            return (stores[index].store, stores[index].objects)
        }
        return nil
    }

    mutating func remove(_ object: NSManagedObject) {
        retained?.remove(ObjectReference(object))
        if object.key.isTemporary {
            temporary.remove(object.key)
        } else if let store = object.store, let index = stores.firstIndex(where: { $0.store === store }) {
            stores[index].objects.remove(object.key)
        }
    }

    mutating func removeAll() {
        stores = []
        lastUsed = nil
        temporary = RegistryPages()
        unplaced = []
        if retained != nil { retained = [] }
    }

    private mutating func index(for store: NSPersistentStore) -> Int {
        for index in stores.indices where stores[index].store === store { return index }
        stores.append(StoreObjects(store: store, identity: store.identity))
        return stores.count - 1
    }

    /// The objects with temporary keys that are alive. O(objects).
    var temporaryObjects: [NSManagedObject] { temporary.objects }

    /// The objects that are alive. O(all).
    var objects: [NSManagedObject] { stores.flatMap(\.objects.objects) + temporary.objects }

    /// Calls `body`, which may change the registry, with the objects that are alive, on a page or not.
    func forEach(_ body: (NSManagedObject) -> Void) { (objects + unplaced.compactMap(\.object)).forEach(body) }
}

extension ObjectKey {
    /// Objects that no store knows yet have negative keys.
    @inline(__always)
    var isTemporary: Bool { primaryKey < 0 }
}

/// The objects that a context has registered with stores that follow contexts.
struct Registrations {
    private var told: [ObjectIdentifier: (store: NSPersistentStore, ids: Set<NSManagedObjectID>)] = [:]

    /// Tells the stores what came and what went since the last time. O(registered objects).
    mutating func register(_ objects: [NSManagedObject]) {
        var now: [ObjectIdentifier: (store: NSPersistentStore, ids: Set<NSManagedObjectID>)] = [:]
        for object in objects where !object.identity.isTemporaryID {
            guard let store = object.store, store.followsContexts else { continue }
            now[ObjectIdentifier(store), default: (store, [])].ids.insert(object.identity)
        }
        let before = told
        told = now
        for (key, entry) in now {
            let new = entry.ids.subtracting(before[key]?.ids ?? [])
            if !new.isEmpty { entry.store.contextDidRegister(Array(new)) }
        }
        for (key, entry) in before {
            let gone = entry.ids.subtracting(now[key]?.ids ?? [])
            if !gone.isEmpty { entry.store.contextDidUnregister(Array(gone)) }
        }
    }
}

extension NSManagedObjectContext {
    /// Lets stores that follow contexts know which objects are in use.
    func notifyRegistrations() {
        guard coordinator?.hasFollowingStores ?? false else { return }
        registrations.register(registry.objects)
    }
}
