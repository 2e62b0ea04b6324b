import FirnStore
import FirnModel

/// From temporary to permanent IDs, and back: children go on using the ones they know.
struct TemporaryIDMap {
    private var permanent: [Int64: NSManagedObjectID] = [:]
    private var temporary: [ObjectKey: NSManagedObjectID] = [:]

    mutating func insert(_ old: NSManagedObjectID, _ new: NSManagedObjectID) {
        permanent[old.key.primaryKey] = new
        temporary[new.key] = old
    }

    func permanentID(for key: ObjectKey) -> NSManagedObjectID? { permanent[key.primaryKey] }
    func temporaryID(for key: ObjectKey) -> NSManagedObjectID? { temporary[key] }
}

/// A to-one relationship whose new destination is not known yet.
struct ChangingRelationship {
    let object: NSManagedObject
    let slot: Int
    let old: NSManagedObject?
}
