#if SwiftData
package import Firn
public import class FirnFoundation.UndoManager
import FirnModel
import Foundation

/// Models in memory, with their changes since the last save.
///
/// A context belongs to one owner: use it from one actor or thread at a time.
/// https://developer.apple.com/documentation/swiftdata/modelcontext
public class ModelContext: Equatable, ObjectIDSource, SendableMetatype {
    /// The stores that the context reads and saves to.
    public final let container: ModelContainer
    /// Core Data's side of the context. Ours, not Apple's.
    package final var managedContext: NSManagedObjectContext { managed }
    final let managed = ModelManagedContext(concurrencyType: .confinementConcurrencyType)
    final let inbox = SiblingContexts.Inbox()
    /// Managed objects of models that were asked for their identifiers before they were saved.
    private final var unsaved: [PersistentIdentifier: ModelObject] = [:]
    private final var lastType: (entity: NSEntityDescription, type: any PersistentModel.Type)?
    private final var entities: [ObjectIdentifier: NSEntityDescription] = [:]
    final lazy var autosave = Autosave(self)
    private final var state = EditingState()
    /// Whether a rollback or a block that failed is being taken back.
    final var isSaving = false

    /// A context of a container's models. It does not save by itself.
    public init(_ container: ModelContainer) {
        self.container = container
        managed.owner = self
        managed.persistentStoreCoordinator = container.coordinator
        managed.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let turn = autosave.turn
        container.siblings.add(managed, inbox) { turn.changesArrived() }
    }

    /// Who saves, as the history says.
    public final var author: String? {
        get { managed.transactionAuthor }
        set {
            managed.transactionAuthor = newValue
            state.author = newValue
        }
    }

    /// Records what can be undone; nil by default.
    public final var undoManager: UndoManager? {
        get { managed.undoManager }
        set { managed.undoManager = newValue }
    }

    /// Models that the next save inserts.
    public final var insertedModelsArray: [any PersistentModel] { models(managed.insertedObjects) }
    /// Models that the next save changes.
    public final var changedModelsArray: [any PersistentModel] { models(managed.updatedObjects) }
    /// Models that the next save deletes.
    public final var deletedModelsArray: [any PersistentModel] {
        managed.processPendingChanges()
        return models(managed.deletedObjects)
    }

    private func models(_ objects: Set<NSManagedObject>) -> [any PersistentModel] {
        objects.compactMap { $0 as? ModelObject }.sorted { $0.objectID.precedes($1.objectID) }.map(model(of:))
    }

    /// Who edits, to data stores of one's own.
    public final var editingState: EditingState {
        get { state }
        set {
            state = newValue
            managed.transactionAuthor = newValue.author
        }
    }

    /// Whether the context saves by itself, shortly after a change. On only in a container's `mainContext`.
    public final var autosaveEnabled: Bool {
        get { autosave.isOn }
        set { autosave.isOn = newValue }
    }

    /// Whether there is anything to save.
    public final var hasChanges: Bool { managed.hasChanges }

    /// Called once for every error of a save that the context made by itself. Ours, not Apple's.
    public final var autosaveErrorHandler: (@Sendable (any Error) -> Void)? {
        get { autosave.errorHandler }
        set { autosave.errorHandler = newValue }
    }

    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

    public final var debugDescription: String {
        "ModelContext: \(managed.insertedObjects.count) inserted, \(managed.updatedObjects.count) changed, "
            + "\(managed.deletedObjects.count) deleted"
    }

    // Identity.

    /// The model of a managed object: one for each, as long as anybody has it.
    final func model(of object: ModelObject) -> any PersistentModel {
        if let model = object.model { return model }
        func make<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel { makeModel(type, of: object) }
        return make(modelType(of: object.entity))
    }

    private final func makeModel<Model: PersistentModel>(_ type: Model.Type, of object: ModelObject) -> Model {
        let storage = ModelStorage(of: ModelShape.of(type), object: object, context: self)
        let model = PendingStorage.making(storage) { Model(backingData: ModelBackingData<Model>(storage)) }
        storage.register(model)
        object.model = model
        return model
    }

    /// The class of an entity's models; most are of the entity that was asked for before.
    private final func modelType(of entity: NSEntityDescription) -> any PersistentModel.Type {
        if let last = lastType, last.entity === entity { return last.type }
        let type = container.type(of: entity)
        lastType = (entity, type)
        return type
    }

    /// The models of managed objects, those of other classes left out.
    final func models<T: PersistentModel>(of objects: [ModelObject]) -> [T] {
        objects.compactMap { object in
            if object.model == nil, modelType(of: object.entity) == T.self { return makeModel(T.self, of: object) }
            return model(of: object) as? T
        }
    }

    /// The entity of a model's class.
    final func entity(of shape: ModelShape) -> NSEntityDescription {
        let key = ObjectIdentifier(shape)
        if let entity = entities[key] { return entity }
        guard let entity = container.coordinator.managedObjectModel.entitiesByName[shape.entityName] else {
            fatalError("The container's schema has no \(shape.type): name it where the container is made")
        }
        entities[key] = entity
        return entity
    }

    /// The managed object of a model, which is inserted if it is in no context.
    final func managedObject(of model: any PersistentModel, for storage: ModelStorage) -> ModelObject {
        let other = model.storage
        if let object = other.object {
            guard other.context === self else {
                fatalError(
                    "\(storage.type) and \(other.type) are in different contexts: take the persistentModelID of one to "
                        + "the context of the other")
            }
            return object
        }
        insertAny(model)
        guard let object = other.object else { fatalError("\(other.type) was deleted: insert it again first") }
        return object
    }

    final func remember(_ identifier: PersistentIdentifier, _ object: ModelObject) { unsaved[identifier] = object }

    /// The managed object that an identifier stands for; nil for one of a store that is not open here.
    final func object(for identifier: PersistentIdentifier) -> ModelObject? {
        if let object = unsaved[identifier] { return object }
        guard !identifier.isTemporary, let url = URL(string: identifier.id.uri),
            let id = container.coordinator.managedObjectID(forURIRepresentation: url)
        else { return nil }
        return managed.object(with: id) as? ModelObject
    }

    final func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        object(for: identifier)?.objectID
    }

    final func registeredObject(for identifier: PersistentIdentifier) -> ModelObject? {
        if let object = unsaved[identifier] { return object }
        guard !identifier.isTemporary, let url = URL(string: identifier.id.uri),
            let id = container.coordinator.managedObjectID(forURIRepresentation: url)
        else { return nil }
        return managed.registeredObject(for: id) as? ModelObject
    }

    /// The model of an identifier. One that is in no store gives a model without values: look with a fetch if in doubt.
    public final func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        mergeArrived()
        guard let object = object(for: persistentModelID) else {
            fatalError("\(persistentModelID.id.uri) is of no store of this container")
        }
        return model(of: object)
    }

    /// The model of an identifier, if the context has it already.
    public final func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
        registeredObject(for: persistentModelID).flatMap { $0.model as? T }
    }
}
#endif
