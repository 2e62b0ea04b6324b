import FirnStore
import FirnModel
import FirnRuntime

/// The objects of a context by identity: what makes one instance for each ID.
///
/// References are weak: an object that nobody holds and that has no changes goes away, and is made again when asked
/// for.
struct Registry {
    /// The objects of one store.
    private struct Shelf {
        let store: NSPersistentStore
        /// What IDs refer to the store by.
        let identity: StoreIdentity?
        let objects = ObjectPages()
    }

    /// Few, and nearly always one.
    private var shelves: [Shelf] = []
    /// Objects that no store knows yet, by their temporary key.
    private var temporary = ObjectPages()
    private var retained: Set<ObjectReference>?
    /// Where objects are looked for first.
    private(set) var own: OwnPlace?

    /// Where the objects of the store are of which the context looked up an ID last. A shelf keeps all of it: no
    /// references are counted.
    struct OwnPlace {
        fileprivate let identity: UncountedReference<StoreIdentity>
        fileprivate let store: UncountedReference<NSPersistentStore>
        let pages: UncountedReference<ObjectPages>

        /// Whether an ID is a permanent one of this store.
        @inline(__always)
        func holds(_ id: NSManagedObjectID) -> Bool {
            id.storeIdentity.map { UncountedReference($0).address } == identity.address && !id.isTemporaryID
        }
    }

    /// To be called with the identity of a store of this context's own coordinator.
    mutating func findOwn(_ identity: StoreIdentity) {
        own = place(of: identity).map { place in
            OwnPlace(
                identity: UncountedReference(identity), store: UncountedReference(place.store),
                pages: UncountedReference(place.pages))
        }
    }

    /// The context has another source.
    mutating func discardOwn() { own = nil }

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
        if key.primaryKey < 0 {
            insert(object, key: key, store: store, in: temporary)
        } else if let store {
            insert(object, key: key, store: store, in: pages(of: store))
        } else {
            insert(object, key: key, store: nil, in: nil)
        }
    }

    /// The same for a new object; at least `heldCount` of those that are new here are alive.
    @inline(__always)
    mutating func insertNew(_ object: NSManagedObject, besides heldCount: Int) {
        if object.key.primaryKey < 0 { temporary.expect(alive: heldCount) }
        insert(object, key: object.key, store: nil)
    }

    /// The same for one whose place is known.
    @inline(__always)
    mutating func insert(_ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore?, in pages: ObjectPages?) {
        object.key = key
        object.store = store
        if retained != nil { retained?.insert(ObjectReference(object)) }
        pages?.insert(object, for: key)
    }

    @inline(__always)
    mutating func insert(_ object: NSManagedObject, _ own: OwnPlace) {
        own.store.with { store in
            own.pages.with { insert(object, key: object.key, store: store, in: $0) }
        }
    }

    /// Gives a new object its permanent place, which is in `pages`.
    @inline(__always)
    mutating func move(_ object: NSManagedObject, to key: ObjectKey, store: NSPersistentStore, in pages: ObjectPages) {
        pages.move(object, from: temporary, object.key, to: key)
        object.key = key
        object.store = store
    }

    /// Where the objects of one store are. Which they are changes in it as they come and go.
    mutating func pages(of store: NSPersistentStore) -> ObjectPages { shelves[shelfIndex(for: store)].objects }

    /// The store that IDs refer to by `identity`, and where its objects are, if any was ever here.
    @inline(__always)
    func place(of identity: StoreIdentity) -> (store: NSPersistentStore, pages: ObjectPages)? {
        for index in shelves.indices where shelves[index].identity === identity {
            return (shelves[index].store, shelves[index].objects)
        }
        return nil
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
        own = nil
        temporary = ObjectPages()
        if retained != nil { retained = [] }
    }

    private mutating func shelfIndex(for store: NSPersistentStore) -> Int {
        for index in shelves.indices where shelves[index].store === store { return index }
        shelves.append(Shelf(store: store, identity: store.identity))
        return shelves.count - 1
    }

    /// The objects that are alive. O(all).
    var objects: [NSManagedObject] { shelves.flatMap(\.objects.objects) + temporary.objects }

    /// Calls `body`, which may change the registry, with the objects that are alive.
    func forEach(_ body: (NSManagedObject) -> Void) { objects.forEach(body) }
}
