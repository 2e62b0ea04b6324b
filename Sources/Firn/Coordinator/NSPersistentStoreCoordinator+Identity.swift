import FirnLog
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

extension NSPersistentStore {
    /// The ID of an object by what stands after the `p` of its URI.
    func objectID(for entity: NSEntityDescription, text: String) -> NSManagedObjectID? {
        guard let primaryKey = Int64(text), let schema = backend?.schema else { return nil }
        return objectID(for: ObjectKey(entity: schema.number(of: entity), primaryKey: primaryKey))
    }
}
