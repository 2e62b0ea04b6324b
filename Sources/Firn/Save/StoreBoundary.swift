import FirnStore
import FirnModel
import Foundation

/// Relationships do not leave a store.
enum StoreBoundary {
    /// Throws if an object that a save writes is newly related to one in another store. O(changed relationships); the
    /// caller need not ask where there is one store only.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectexternalrelationshiperror
    static func check(_ change: ObjectChange) throws {
        for object in change.inserted + change.updated where !object.values.isEmpty {
            for info in object.layout.slots where info.isRelationship {
                let related: [NSManagedObject]
                switch object.values[info.index] {
                case .toOne(let destination): related = [destination]
                case .toMany(let members): related = members.added.map(\.object)
                default: continue
                }
                guard let stray = related.first(where: { $0.store !== object.store }) else { continue }
                throw CoreDataError.make(
                    .managedObjectExternalRelationship,
                    "\"\(info.name)\" of \(object.identity.uriRepresentation()) leads to "
                        + "\(stray.identity.uriRepresentation()), which is in another store: assign both to one store",
                    [
                        NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: info.name,
                        NSAffectedObjectsErrorKey: [object, stray],
                    ])
            }
        }
    }
}
