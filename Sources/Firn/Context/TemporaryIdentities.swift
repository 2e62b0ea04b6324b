import FirnStore
import FirnModel

/// Which keys and IDs objects had before a save gave them permanent ones, for the case that it fails.
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
}
