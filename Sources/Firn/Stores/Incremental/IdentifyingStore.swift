package import FirnModel
import FirnStore

/// A store that knows the IDs of new objects once it has saved them, not before.
package protocol IdentifyingStore: NSIncrementalStore {
    /// Saves the objects of a request. Gives the permanent IDs of those that it inserts by their temporary ones.
    func save(
        _ request: NSSaveChangesRequest, with context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID: NSManagedObjectID]
}

extension NSIncrementalStore {
    /// The store has other values of these objects now: it is asked for them when they are next needed.
    package func discardRows(of objectIDs: [NSManagedObjectID]) {
        for key in objectIDs.map(\.key) {
            backend?.rowCache.remove([key.primaryKey], entity: key.entity)
            nodeMembers.remove(key)
        }
    }
}
