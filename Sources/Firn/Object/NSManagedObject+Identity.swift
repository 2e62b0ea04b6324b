import FirnModel
import FirnRuntime

/// IDs of objects, most of which nobody ever asks for. `knownIdentity` says which one an object has:
///
///     an object    the ID
///     none         permanent, made from the object's key and store when somebody asks
///     marked       temporary, made from the object's key
///
/// Any thread may ask for an ID; the rest is the context's.
extension NSManagedObject {
    final var identity: NSManagedObjectID {
        get {
            guard case .object(let known) = knownIdentity.content else { return makeIdentity() }
            return known.object
        }
        set { knownIdentity.exchange(.object(.retaining(newValue))).release() }
    }

    /// The ID, if somebody has asked for it.
    final var madeIdentity: NSManagedObjectID? {
        if case .object(let known) = knownIdentity.content { known.object } else { nil }
    }

    /// The ID, which the object holds as long as nobody changes it.
    @inline(__always)
    final var uncountedIdentity: UncountedReference<NSManagedObjectID> {
        guard case .object(let known) = knownIdentity.content else { return UncountedReference(makeIdentity()) }
        return known
    }

    /// Of several threads that ask for the first time, one makes the ID.
    @inline(never)
    private final func makeIdentity() -> NSManagedObjectID {
        while true {
            let known = knownIdentity.content
            let id: NSManagedObjectID
            switch known {
            case .none:
                guard let store else {
                    fatalError("an object of \(layout.name) has neither an ID nor a store")
                }
                id = store.objectID(for: key, layout)
            case .marked:
                id = NSManagedObjectID(temporaryFor: layout.entity, number: key.primaryKey.magnitude)
            case .object(let id): return id.object
            }
            if setIdentity(id, insteadOf: known) { return id }
        }
    }

    private final func setIdentity(
        _ id: NSManagedObjectID, insteadOf known: AtomicReference<NSManagedObjectID>.Content
    ) -> Bool {
        let made = UncountedReference.retaining(id)
        let isFirst = knownIdentity.replace(known, with: .object(made))
        if !isFirst { made.release() }
        return isFirst
    }

    /// An ID for an object of which nobody has asked for it yet.
    fileprivate final func assign(_ id: NSManagedObjectID) { _ = setIdentity(id, insteadOf: .none) }

    /// The object has its permanent key and its store now. Gives the temporary ID if somebody has asked for it.
    final func endTemporaryIdentity() -> NSManagedObjectID? {
        guard case .object(let old) = knownIdentity.exchange(.none) else { return nil }
        return old.consume()
    }

    /// The object has its temporary key again, and the ID that `endTemporaryIdentity()` gave.
    final func restoreTemporaryIdentity(_ known: NSManagedObjectID?) {
        if let known { identity = known } else { knownIdentity.exchange(.marked).release() }
    }
}

extension UnsafeBufferPointer<UncountedReference<NSManagedObject>> {
    /// Makes the permanent IDs that nobody asked for yet: what they share is looked up once for each run of an entity.
    func makeIdentities() {
        var layout: EntityLayout?
        var store: NSPersistentStore?
        var known: NSManagedObjectID?
        for reference in self {
            reference.with { object in
                guard object.knownIdentity.isNone else { return }
                guard let id = known, object.layout === layout, object.isIn(store), let identity = id.storeIdentity
                else {
                    (layout, store, known) = (object.layout, object.store, object.identity)
                    return
                }
                object.assign(
                    NSManagedObjectID(
                        entity: id.entity, entityNumber: object.key.entity.rawValue, rootNumber: id.rootNumber,
                        primaryKey: object.key.primaryKey, store: identity))
            }
        }
    }
}
