import FirnModel

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
