public import FirnModel
import FirnProjection
import Foundation

/// From URIs to object IDs.
extension NSPersistentStoreCoordinator {
    func id(for url: URL) -> NSManagedObjectID? {
        guard url.scheme == "x-coredata", let host = url.host?.uppercased(),
            let store = persistentStores.first(where: { $0.identifier.uppercased() == host }),
            url.pathComponents.count == 3, url.pathComponents[2].hasPrefix("p"),
            let entity = managedObjectModel.entitiesByName[url.pathComponents[1]],
            store.backend?.schema.contains(entity) ?? false
        else { return nil }
        return store.objectID(for: entity, text: String(url.pathComponents[2].dropFirst()))
    }

    /// The ID whose URI reads like this.
    public func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }
}
