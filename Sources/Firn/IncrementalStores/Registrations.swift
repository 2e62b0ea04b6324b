import FirnLog
import FirnModel

/// Which objects of incremental stores a context has told the stores that it has.
struct Registrations {
    private var told: [ObjectIdentifier: (store: NSIncrementalStore, ids: Set<NSManagedObjectID>)] = [:]

    /// Tells the stores what came and what went since the last time. O(registered objects).
    mutating func register(_ objects: [NSManagedObject]) {
        var now: [ObjectIdentifier: (store: NSIncrementalStore, ids: Set<NSManagedObjectID>)] = [:]
        for object in objects where !object.identity.isTemporaryID {
            guard let store = object.store as? NSIncrementalStore else { continue }
            now[ObjectIdentifier(store), default: (store, [])].ids.insert(object.identity)
        }
        let before = told
        told = now
        for (key, entry) in now {
            let new = entry.ids.subtracting(before[key]?.ids ?? [])
            if !new.isEmpty { entry.store.managedObjectContextDidRegisterObjects(with: Array(new)) }
        }
        for (key, entry) in before {
            let gone = entry.ids.subtracting(now[key]?.ids ?? [])
            if !gone.isEmpty { entry.store.managedObjectContextDidUnregisterObjects(with: Array(gone)) }
        }
    }
}

extension NSManagedObjectContext {
    /// Lets incremental stores know which objects are in use.
    func notifyRegistrations() {
        guard coordinator?.hasIncrementalStores ?? false else { return }
        registrations.register(registry.objects)
    }
}
