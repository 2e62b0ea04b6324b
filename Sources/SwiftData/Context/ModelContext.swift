#if SwiftData
import Firn
public import class FirnFoundation.UndoManager
import FirnModel
import FirnRuntime
public import Foundation

/// Models in memory, with their changes since the last save.
///
/// A context belongs to one owner: use it from one actor or thread at a time.
/// https://developer.apple.com/documentation/swiftdata/modelcontext
public class ModelContext: Equatable, ObjectIDSource, SendableMetatype {
    /// The stores that the context reads and saves to.
    public final var container: ModelContainer { origin?.object ?? stores }
    private final let stores: ModelContainer
    /// Of a main context, the container that keeps it, while anybody has that.
    final var origin: WeakReference<ModelContainer>?
    final let managed = ModelManagedContext(concurrencyType: .confinementConcurrencyType)
    final let inbox = SiblingContexts.Inbox()
    /// Managed objects of models that were asked for their identifiers and are not saved yet.
    private final var unsaved: [PersistentIdentifier: ModelObject] = [:]
    /// Models that were asked for by identifiers of no store, as long as anybody has them.
    private final var unknown: [PersistentIdentifier: WeakReference<AnyObject>] = [:]
    final let coordinator: NSPersistentStoreCoordinator
    final let handle = ContextHandle(owner: .current)
    final let use = ContextUse()
    final let autosave: Autosave
    /// How many observers follow the context.
    final var observerCount = 0
    private final var state: EditingState
    /// Follows deletions for the observers of relationships; nil until a relationship is read.
    final var deletionObserver: (any NSObjectProtocol)?
    /// Whether an object was deleted since observers of relationships heard of deletions.
    final var hasDeletions = false
    /// Models with lists of what their relationships were set to.
    final var changedLists: [WeakReference<ModelStorage>] = []
    /// Deletions of whole sets of models that wait for the save.
    final var setDeletions: [NSFetchRequest<ModelObject>] = []
    /// Whether a save is being made: nothing is merged meanwhile.
    final var isSaving = false
    /// The present save: models that had unique values of others, and what it saves.
    final var insertions: UniqueInsertions?
    final var savedChanges: SavedChanges?
    /// How often the context saved or was rolled back.
    final var saveCount = 0
    /// How many blocks of transactions run, one in another.
    final var openBlocks = 0
    /// Whether observers will hear of changes soon.
    final var isProcessingQueued = false
    /// Deletions by predicate since the last save, for data stores of one's own.
    final var pendingBatches = PendingBatches()
    /// The results of the present save in data stores of one's own.
    final var storeSaves: [StoreSave] = []
    /// Whether data stores know the context's editing state.
    private let isEditing: Bool

    /// Models of the last save that had unique values of others. Ours, not Apple's.
    public internal(set) final var uniqueConflicts: [UniqueConflict] = []

    /// A context of a container's models. It does not save by itself.
    public init(_ container: ModelContainer) {
        stores = container
        coordinator = container.coordinator
        autosave = Autosave(handle)
        state = EditingState()
        isEditing = true
        setUp()
        managed.mergePolicy = ModelMergePolicy.shared
        let handle = handle
        container.siblings.add(managed, inbox) { handle.changesArrived() }
        for adapter in container.adapters { adapter.calling { $0.initializeState(for: state) } }
    }

    /// A context that only reads: of another coordinator, or one in which models are compared as they are saved, for
    /// the length of a fetch.
    init(
        reading container: ModelContainer, coordinator: NSPersistentStoreCoordinator? = nil,
        _ state: EditingState = EditingState()
    ) {
        stores = container
        self.coordinator = coordinator ?? container.coordinator
        autosave = Autosave(handle)
        self.state = state
        isEditing = false
        setUp()
    }

    private func setUp() {
        handle.context = self
        managed.owner = self
        managed.persistentStoreCoordinator = coordinator
    }

    deinit {
        if let deletionObserver { NotificationCenter.default.removeObserver(deletionObserver) }
        if autosave.isOn, hasChanges { autosave.reportUnsaved() }
        guard isEditing else { return }
        for adapter in container.adapters { adapter.calling { $0.invalidateState(for: state) } }
    }

    /// The author, as the history says.
    public final var author: String? {
        get { managed.transactionAuthor }
        set {
            managed.transactionAuthor = newValue
            state.author = newValue
        }
    }

    /// Records what can be undone; nil by default. Changes that are processed outside of all groups become a group, so
    /// that `save()` needs none.
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
        // What cannot be read now is the save's to report.
        try? resolveSetDeletions()
        managed.processPendingChanges()
        return models(managed.deletedObjects)
    }

    private func models(_ objects: Set<NSManagedObject>) -> [any PersistentModel] {
        objects.compactMap { $0 as? ModelObject }.sorted { $0.precedes($1) }.map(model(of:))
    }

    /// The editing state passed to data stores of one's own.
    public final var editingState: EditingState {
        get { state }
        set {
            let old = state
            state = newValue
            managed.transactionAuthor = newValue.author
            if old.id == newValue.id { return }
            for adapter in container.adapters {
                adapter.calling {
                    $0.invalidateState(for: old)
                    $0.initializeState(for: newValue)
                }
            }
        }
    }

    /// Whether the context saves by itself, shortly after a change, and merges what others save. On in a container's
    /// `mainContext`, off in others.
    ///
    /// It does both where its owner works: on the main queue if it was made there, on the executor of its model actor,
    /// else on `autosaveQueue`. Without one it does both when it is next used.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext/autosaveenabled
    public final var autosaveEnabled: Bool {
        get { autosave.isOn }
        set {
            autosave.set(isOn: newValue, hasChanges: hasChanges)
            updateFollowing()
        }
    }

    /// Whether there is anything to save.
    public final var hasChanges: Bool { managed.hasChanges || !setDeletions.isEmpty }

    /// How long after a change the context saves by itself: a second, unless set. Ours, not Apple's.
    public final var autosaveDelay: Duration {
        get { autosave.delay }
        set { autosave.delay = newValue }
    }

    /// The serial queue on which the context is used, and saves by itself. The main queue for a context that was made
    /// there. Ours, not Apple's.
    public final var autosaveQueue: DispatchQueue? {
        get { if case .queue(let queue) = handle.owner { queue } else { nil } }
        set { setOwner(newValue.map(ContextOwner.queue) ?? .unknown) }
    }

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

    /// Whether an object that nothing is known of is in no store.
    final func isMissing(_ object: ModelObject) -> Bool {
        object.isFault && !object.isInserted && (try? managed.existingObject(with: object.objectID)) == nil
    }

    final var entitiesByName: [String: NSEntityDescription] { container.coordinator.managedObjectModel.entitiesByName }

    final func shape(of entity: NSEntityDescription) -> ModelShape? { container.shape(of: entity) }

    /// The managed object of a model, which is inserted if it is in no context.
    final func managedObject(of other: ModelStorage, for storage: ModelStorage) -> ModelObject {
        if let object = other.object {
            guard other.context === self else {
                fatalError(
                    "\(storage.type) and \(other.type) are in different contexts: take the persistentModelID of one to "
                        + "the context of the other")
            }
            return object
        }
        if let model = other.model { insertAny(model) }
        guard let object = other.object else { fatalError("\(other.type) was deleted: insert it again first") }
        return object
    }

    final func remember(_ identifier: PersistentIdentifier, _ object: ModelObject) { unsaved[identifier] = object }

    /// Temporary identifiers stand for models until these are saved or dropped.
    final func discardTemporaryIdentifiers() {
        unsaved = unsaved.filter { $1.objectID.isTemporaryID && $1.managedObjectContext === managed }
    }

    /// The managed object that an identifier stands for; nil for one of a store that is not open here.
    final func object(for identifier: PersistentIdentifier) -> ModelObject? {
        if let object = unsaved[identifier] { return object }
        return container.objectID(for: identifier, in: coordinator)
            .flatMap { managed.object(with: $0) as? ModelObject }
    }

    final func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID? {
        object(for: identifier)?.objectID
    }

    final func registeredObject(for identifier: PersistentIdentifier) -> ModelObject? {
        if let object = unsaved[identifier] { return object }
        return container.objectID(for: identifier, in: coordinator)
            .flatMap { managed.registeredObject(for: $0) as? ModelObject }
    }

    /// The model of an identifier. One that is in no store, or from before its model's save, gives a model without
    /// values that has the identifier: look with `existingModel(for:)` if in doubt.
    public final func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        mergeArrived()
        if !setDeletions.isEmpty { try? resolveSetDeletions() }
        return object(for: persistentModelID).map(model(of:)) ?? unknownModel(persistentModelID)
    }

    /// A model in no context.
    private func unknownModel(_ identifier: PersistentIdentifier) -> any PersistentModel {
        if let known = unknown[identifier]?.object as? any PersistentModel { return known }
        guard let type = container.types[identifier.entityName] else {
            fatalError("\(identifier.id.uri) is of \(identifier.entityName), which is no model of this container")
        }
        func make<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
            Model(backingData: Model.createBackingData())
        }
        let model = make(type)
        model.storage.identifier = identifier
        unknown = unknown.filter { $1.object != nil }
        unknown[identifier] = WeakReference(model)
        return model
    }

    /// The model of an identifier, if the context has it already.
    public final func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
        registeredObject(for: persistentModelID).flatMap { $0.model as? T }
    }
}
#endif
