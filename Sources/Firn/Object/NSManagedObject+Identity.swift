import FirnLog
import FirnModel
import Synchronization

/// IDs of objects, most of which nobody ever asks for. `knownIdentity` says which one an object has:
///
///     retained pointer     the ID
///     nil                  permanent, made from the object's key and store when somebody asks
///     `unmadeTemporary`    temporary, made from the object's key
///
/// Any thread may ask for an ID; the rest is the context's.
extension NSManagedObject {
    final var identity: NSManagedObjectID {
        get {
            guard let known = knownIdentity.load(ordering: .acquiring), known != Self.unmadeTemporary
            else { return makeIdentity() }
            return Unmanaged<NSManagedObjectID>.fromOpaque(known).takeUnretainedValue()
        }
        set {
            let new = UnsafeRawPointer(Unmanaged.passRetained(newValue).toOpaque())
            releaseIdentity(knownIdentity.exchange(new, ordering: .acquiringAndReleasing))
        }
    }

    /// The ID, which the object holds as long as nobody changes it.
    @inline(__always)
    final var unmanagedIdentity: Unmanaged<NSManagedObjectID> {
        guard let known = knownIdentity.load(ordering: .acquiring), known != Self.unmadeTemporary
        else { return .passUnretained(makeIdentity()) }
        return .fromOpaque(known)
    }

    /// Where the ID of a new object stands until it is made: no object is there.
    static var unmadeTemporary: UnsafeRawPointer? {
        @inline(__always) get { UnsafeRawPointer(bitPattern: 1) }
    }

    final func releaseIdentity(_ known: UnsafeRawPointer?) {
        guard let known, known != Self.unmadeTemporary else { return }
        Unmanaged<NSManagedObjectID>.fromOpaque(known).release()
    }

    /// Of several threads that ask for the first time, one makes the ID.
    @inline(never)
    private final func makeIdentity() -> NSManagedObjectID {
        while true {
            let known = knownIdentity.load(ordering: .acquiring)
            let made: Unmanaged<NSManagedObjectID>
            switch known {
            case nil:
                guard let store else {
                    fatalError("an object of \(layout.name) has neither an ID nor a store")
                }
                made = .passRetained(store.objectID(for: key, layout))
            case Self.unmadeTemporary:
                made = .passRetained(
                    NSManagedObjectID(temporaryFor: layout.entity, number: key.primaryKey.magnitude))
            case let known?: return Unmanaged<NSManagedObjectID>.fromOpaque(known).takeUnretainedValue()
            }
            let (isFirst, _) = knownIdentity.compareExchange(
                expected: known, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
            if isFirst { return made.takeUnretainedValue() }
            made.release()
        }
    }

    /// An ID for an object of which nobody has asked for it yet.
    fileprivate final func assign(_ id: NSManagedObjectID) {
        let made = Unmanaged.passRetained(id)
        let (isFirst, _) = knownIdentity.compareExchange(
            expected: nil, desired: UnsafeRawPointer(made.toOpaque()), ordering: .acquiringAndReleasing)
        if !isFirst { made.release() }
    }

    /// The object has its permanent key and its store now. Gives the temporary ID if somebody has asked for it.
    final func endTemporaryIdentity() -> NSManagedObjectID? {
        guard let old = knownIdentity.exchange(nil, ordering: .acquiringAndReleasing), old != Self.unmadeTemporary
        else { return nil }
        return Unmanaged<NSManagedObjectID>.fromOpaque(old).takeRetainedValue()
    }

    /// The object has its temporary key again, and the ID that `endTemporaryIdentity()` gave.
    final func restoreTemporaryIdentity(_ known: NSManagedObjectID?) {
        if let known {
            identity = known
        } else {
            releaseIdentity(knownIdentity.exchange(Self.unmadeTemporary, ordering: .acquiringAndReleasing))
        }
    }
}

extension UnsafeBufferPointer<Unmanaged<NSManagedObject>> {
    /// Makes the permanent IDs that nobody asked for yet: what they share is looked up once for each run of an entity.
    func makeIdentities() {
        var layout: EntityLayout?
        var store: NSPersistentStore?
        var known: NSManagedObjectID?
        for reference in self {
            reference._withUnsafeGuaranteedRef { object in
                guard object.knownIdentity.load(ordering: .acquiring) == nil else { return }
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
