#if SwiftData
import Firn
import FirnModel
import Foundation

/// Saves snapshots as the models that they are of.
struct SnapshotSave {
    private let request: DataStoreSaveChangesRequest<DefaultSnapshot>
    private let context: ModelContext

    init(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>, in context: ModelContext) {
        self.request = request
        self.context = context
    }

    /// The permanent identifiers of new models by their temporary ones.
    func run() throws -> [PersistentIdentifier: PersistentIdentifier] {
        var objects: [PersistentIdentifier: ModelObject] = [:]
        let entities = context.container.coordinator.managedObjectModel.entitiesByName
        for snapshot in request.inserted {
            guard let entity = entities[snapshot.persistentIdentifier.entityName] else { throw unknown(snapshot) }
            objects[snapshot.persistentIdentifier] = ModelObject(entity: entity, insertInto: context.managed)
        }
        for snapshot in request.updated { objects[snapshot.persistentIdentifier] = try existing(snapshot) }
        for snapshot in request.inserted + request.updated {
            guard let object = objects[snapshot.persistentIdentifier] else { continue }
            assign(snapshot, to: object, objects)
        }
        for snapshot in request.deleted { context.managed.delete(try existing(snapshot)) }
        // Models, not objects: one that a saved model has the unique value of stands for that one afterwards.
        let models = request.inserted.compactMap { snapshot in
            objects[snapshot.persistentIdentifier].map { (snapshot.persistentIdentifier, context.model(of: $0)) }
        }
        try context.save()
        return Dictionary(models.map { ($0, $1.persistentModelID) }) { first, _ in first }
    }

    private func assign(
        _ snapshot: DefaultSnapshot, to object: ModelObject, _ objects: [PersistentIdentifier: ModelObject]
    ) {
        for property in snapshot.shape.savedProperties {
            guard let relationship = property.relationship else {
                object.setValue(snapshot.attributes[property.name], forKey: property.name)
                continue
            }
            let related = (snapshot.relationships[property.name] ?? [])
                .compactMap { objects[$0] ?? context.object(for: $0) }
            let isOrdered = object.entity.relationshipsByName[property.name]?.isOrdered == true
            let value: Any? =
                if !relationship.isToMany { related.first } else if isOrdered { NSOrderedSet(array: related) } else {
                    NSSet(array: related)
                }
            object.setValue(value, forKey: property.name)
        }
    }

    private func existing(_ snapshot: DefaultSnapshot) throws -> ModelObject {
        guard let model = context.existingModel(for: snapshot.persistentIdentifier), let object = model.storage.object
        else { throw unknown(snapshot) }
        return object
    }

    private func unknown(_ snapshot: DefaultSnapshot) -> SwiftDataError {
        SwiftDataError.modelValidationFailure.because(
            "the store has no \(snapshot.persistentIdentifier.id.uri): fetch what is to be changed or deleted from it")
    }
}
#endif
