public import FirnModel
import Foundation

/// From classes to entities.
extension NSManagedObject {
    /// An entity without a name, as in Core Data, if no model in use has one with this class.
    static func registeredEntity() -> NSEntityDescription {
        EntityClasses.entity(of: self, in: nil) ?? NSEntityDescription()
    }

    static func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
        if let entity = knownEntity(in: context) { return entity }
        fatalError(
            "the context's model has no entity with the class \(self): set the entity's class in the model, "
                + "or name the entity with init(entity:insertInto:)")
    }

    /// The entity with this class in the context's model; nil if it has none.
    static func knownEntity(in context: NSManagedObjectContext) -> NSEntityDescription? {
        // Asking for the model counts references to whatever leads to it. It cannot change but with the coordinator.
        if context.parent == nil, context.lastEntity?.objectClass == self, let entity = context.lastEntity?.entity {
            return entity
        }
        let model = context.persistentStoreCoordinator?.managedObjectModel
        let known = context.entitiesOfClasses[ObjectIdentifier(self)].flatMap { $0.model === model ? $0 : nil }
        guard let entity = known?.entity ?? EntityClasses.entity(of: self, in: model) else { return nil }
        if let model {
            let found = known ?? EntityOfClass(objectClass: self, model: model, entity: entity)
            if known == nil { context.entitiesOfClasses[ObjectIdentifier(self)] = found }
            context.lastEntity = found
        }
        return entity
    }

    static func requestForAll() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        if let entity = EntityClasses.entity(of: self, in: nil) { request.entity = entity }
        return request
    }
}

extension NSManagedObjectContext {
    /// The same entity in the context's model, if `entity` is of a model that was loaded once more; else `entity`.
    func ownEntity(_ entity: NSEntityDescription) -> NSEntityDescription {
        guard lastEntity?.entity !== entity, let model = persistentStoreCoordinator?.managedObjectModel,
            !entity.isPart(of: model), let own = model.entitiesByName[entity.name ?? ""]
        else { return entity }
        return own.versionHash == entity.versionHash ? own : entity
    }
}

/// The entity that a class was found to stand for. The last one is asked first, as many objects are made in runs.
struct EntityOfClass {
    let objectClass: NSManagedObject.Type
    let model: NSManagedObjectModel
    /// The model owns it.
    unowned(unsafe) let entity: NSEntityDescription
}

extension NSEntityDescription {
    /// Makes an object of the named entity and inserts it.
    @discardableResult
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError(
                "there is no entity \"\(entityName)\" in the model of the context: it has "
                    + (context.persistentStoreCoordinator?.managedObjectModel.entities.compactMap(\.name)
                        .sorted().joined(separator: ", ") ?? "no coordinator"))
        }
        return NSManagedObject.make(entity.objectClass, entity: entity, insertInto: context)
    }

    public class func entity(
        forEntityName entityName: String, in context: NSManagedObjectContext
    ) -> NSEntityDescription? {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
    }
}
