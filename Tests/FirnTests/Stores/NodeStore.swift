import Firn
import FirnModel
import Foundation

/// An incremental store that tells all relationships in its nodes, and is asked for none. Reference objects are
/// numbers.
final class NodeStore: NSIncrementalStore, @unchecked Sendable {
    /// Values by reference object; relationships as reference objects, or arrays of them.
    var rows: [Int: (entity: String, values: [String: Any])] = [:]
    /// What saves asked for: counts of inserted, updated and deleted objects.
    var saves: [String] = []
    /// Reference objects of the nodes that were asked for.
    var reads: [Int] = []
    private var last = 0

    override var type: String { "Node" }

    static func add(to coordinator: NSPersistentStoreCoordinator) throws -> NodeStore {
        NSPersistentStoreCoordinator.registerStoreClass(NodeStore.self, forStoreType: "Node")
        let store = try coordinator.addPersistentStore(
            ofType: "Node", configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        guard let store = store as? NodeStore else { fatalError("the coordinator made another store: \(store)") }
        return store
    }

    override func loadMetadata() throws { metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: type] }

    func id(_ reference: Int) -> NSManagedObjectID? {
        guard let row = rows[reference],
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[row.entity]
        else { return nil }
        return newObjectID(for: entity, referenceObject: reference)
    }

    private func reference(_ id: NSManagedObjectID) -> Int {
        let reference = referenceObject(for: id)
        return (reference as? NSNumber)?.intValue ?? reference as? Int ?? 0
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request.requestType {
        case .fetchRequestType:
            guard let fetch = request as? NSFetchRequest<NSManagedObject>, let context else {
                throw CocoaError(.persistentStoreUnsupportedRequestType)
            }
            let ids = rows.keys.sorted().compactMap(id).filter { $0.entity.name == fetch.entityName }
            if fetch.resultType == .countResultType { return [NSNumber(value: ids.count)] }
            return fetch.resultType == .managedObjectIDResultType ? ids : ids.map { context.object(with: $0) }
        default:
            guard let save = request as? NSSaveChangesRequest else { return [] }
            guard let inserted = save.insertedObjects, let updated = save.updatedObjects,
                let deleted = save.deletedObjects
            else {
                saves.append("metadata")
                return []
            }
            saves.append("\(inserted.count) \(updated.count) \(deleted.count)")
            for object in inserted.union(updated) {
                rows[reference(object.objectID)] = (object.entity.name ?? "", values(object))
            }
            for object in deleted { rows[reference(object.objectID)] = nil }
            return []
        }
    }

    private func values(_ object: NSManagedObject) -> [String: Any] {
        var values: [String: Any] = [:]
        for name in object.entity.attributesByName.keys { values[name] = object.value(forKey: name) }
        for (name, relationship) in object.entity.relationshipsByName {
            let value = object.value(forKey: name)
            var members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
            if !relationship.isToMany, let value { members = [value] }
            values[name] = members.compactMap { ($0 as? NSManagedObject).map { reference($0.objectID) } }
        }
        return values
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        reads.append(reference(objectID))
        guard let row = rows[reference(objectID)] else {
            throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
        }
        var values = row.values
        for (name, relationship) in objectID.entity.relationshipsByName {
            let ids = (values[name] as? [Int] ?? []).compactMap(id)
            values[name] = relationship.isToMany ? ids : ids.first ?? NSNull() as Any
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: 1)
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            last += 1
            return newObjectID(for: object.entity, referenceObject: last)
        }
    }
}
