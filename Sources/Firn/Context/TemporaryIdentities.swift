import FirnModel
import FirnStore
import Synchronization

/// Keys and IDs that objects had before a save gave them permanent ones, for the case that it fails.
struct TemporaryIdentities {
    private(set) var objects: [NSManagedObject] = []
    /// Of each of the objects.
    private var keys: [ObjectKey] = []
    /// The IDs that were made, by the place of their objects.
    private var ids: [Int: NSManagedObjectID] = [:]

    /// The objects whose keys and IDs are appended next.
    mutating func append(_ more: [NSManagedObject]) {
        if objects.isEmpty { objects = more } else { objects += more }
        keys.reserveCapacity(objects.count)
    }

    mutating func append(_ key: ObjectKey, _ id: NSManagedObjectID?) {
        if let id { ids[keys.count] = id }
        keys.append(key)
    }

    func forEach(_ body: (NSManagedObject, ObjectKey, NSManagedObjectID?) -> Void) {
        for (index, object) in objects.enumerated() { body(object, keys[index], ids[index]) }
    }

    /// The save is done: temporary IDs learn the permanent ones. Returns whether there were any. O(IDs that
    /// were made).
    func becomePermanent() -> Bool {
        for (index, id) in ids { id.become(objects[index].identity) }
        return !ids.isEmpty
    }
}

/// Temporary IDs that became permanent, wherever in the tree of contexts their objects are.
///
/// A temporary ID is one instance in the whole tree, and is told its permanent one once, at the root. Each context then
/// takes over the permanent IDs by itself, on its own queue, when it next reads.
extension NSManagedObjectContext {
    /// Lets the tree know that temporary IDs have become permanent. On the root's queue.
    func announcePermanentIDs() {
        permanentIDStamp.store(Self.stamps.add(1, ordering: .relaxed).newValue, ordering: .releasing)
    }

    /// Different in every tree.
    private static let stamps = Atomic<UInt64>(0)

    /// Gives objects their permanent IDs, but for those of which there is another instance. Says whether there could be
    /// any. O(1) if no ID of the tree has become permanent since, else O(objects with temporary IDs).
    @discardableResult
    func adoptPermanentIDs() -> Bool {
        let stamp = root.permanentIDStamp.load(ordering: .acquiring)
        if stamp == adoptedIDStamp { return false }
        adoptedIDStamp = stamp
        for object in registry.temporaryObjects {
            guard let id = object.madeIdentity?.current, !id.isTemporaryID else { continue }
            if registeredObject(for: id) == nil { rename(object, to: id, key: id.key, store: store(of: id)) }
        }
        return true
    }
}
