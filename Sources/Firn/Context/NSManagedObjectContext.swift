public import FirnFoundation
public import FirnModel
import FirnRuntime
import FirnStore
public import Foundation
import Synchronization

/// A workspace of managed objects: one instance for each object ID, changes tracked until they are saved or dropped.
///
/// Everything but `perform…` and the properties that say so belongs to the context's queue.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext
open class NSManagedObjectContext: NSObject, NSLocking, @unchecked Sendable {
    /// The queue that the context uses.
    public final let concurrencyType: NSManagedObjectContextConcurrencyType
    let queue: DispatchQueue

    /// Shown in debuggers, and written into the log as the context name of every save.
    open var name: String?
    /// Written into the log as the author of every save.
    open var transactionAuthor: String?
    /// Metadata that every save of this context carries into the log: correlation IDs, the request. Ours, not Apple's.
    public var transactionMetadata: [String: String] = [:]
    /// The policy for conflicts with another save of the same objects.
    open var mergePolicy: Any = NSErrorMergePolicy
    /// Records what can be undone; nil by default. Changes that are processed outside of all groups become a group.
    open var undoManager: UndoManager? { didSet { followUndoManager(insteadOf: oldValue) } }
    /// Whether delete rules apply at the end of an event, or at the save.
    open var propagatesDeletesAtEndOfEvent = true
    /// Whether the context retains all objects that it knows.
    open var retainsRegisteredObjects = false {
        didSet { registry.setRetains(retainsRegisteredObjects) }
    }
    /// Whether a fault without a row counts as deleted, and reads nil.
    open var shouldDeleteInaccessibleFaults = true
    /// Off in a migration, which must not fail by rules of another version of the model.
    final var checksValidation = true
    /// How many seconds old a cached row may be when a fault fires; negative means any age.
    open var stalenessInterval: TimeInterval = -1
    /// Values of the program's own.
    open private(set) var userInfo = NSMutableDictionary()

    /// The coordinator at the root of the context's parents.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { coordinator ?? parent?.persistentStoreCoordinator }
        set {
            guard parent == nil else { fatalError("a context with a parent reaches the coordinator through it") }
            let tree = leaveCoordinator()
            coordinator = newValue
            ownStore = nil
            (lastEntity, entitiesOfClasses) = (nil, [:])
            pin = nil
            for context in tree { context.joinCoordinator() }
        }
    }

    /// The context that this one reads from and saves to, instead of a coordinator.
    open var parent: NSManagedObjectContext? {
        willSet {
            guard coordinator == nil || newValue == nil else {
                fatalError("a context has a parent or a coordinator: set the coordinator to nil first")
            }
            guard newValue !== self, newValue?.hasAncestor({ $0 === self }) != true else {
                fatalError("a context cannot be its own parent, or that of one of its parents")
            }
            guard newValue?.concurrencyType != .confinementConcurrencyType else {
                fatalError("a parent context needs a queue: use mainQueue or privateQueue")
            }
        }
        didSet {
            ownStore = nil
            (lastEntity, entitiesOfClasses) = (nil, [:])
            oldValue?.persistentStoreCoordinator?.removeFollower(self)
            joinCoordinator()
        }
    }

    /// Whether saves of the parent, or of other contexts and processes through the coordinator, are merged by
    /// themselves.
    open var automaticallyMergesChangesFromParent = false {
        didSet {
            guard oldValue != automaticallyMergesChangesFromParent else { return }
            if automaticallyMergesChangesFromParent {
                requireQueue("merging by itself")
                guard pin?.followsCurrent ?? true else {
                    fatalError(
                        "a context that is pinned to a query generation cannot follow its parent: unpin it first")
                }
                persistentStoreCoordinator?.addFollower(self)
            } else {
                persistentStoreCoordinator?.removeFollower(self)
            }
        }
    }

    private(set) final var coordinator: NSPersistentStoreCoordinator?
    /// A store of the coordinator: the last of which an ID was looked up.
    final var ownStore: StoreIdentity? { didSet { registry.discardLastUsed() } }
    @exclusivity(unchecked) final var registry = Registry()
    @exclusivity(unchecked) final var pending = PendingChanges()
    /// Saves of what is unsaved here whose outcome was unknown.
    final var indeterminateSaves: [IndeterminateSave] = []
    @exclusivity(unchecked) final var inserted = ObjectList(.inserted)
    @exclusivity(unchecked) final var updated = ObjectList(.updated)
    @exclusivity(unchecked) final var deleted = ObjectList(.deleted)
    /// Objects that the next save checks for conflicts although they are not changed.
    final var checked = ObjectList(.detectsConflicts)
    /// To-one relationships between `willChangeValue` and `didChangeValue`.
    var changingRelationships: [ChangingRelationship] = []
    /// Of a root without a coordinator: the contexts below it.
    final let childrenWithoutCoordinator = Mutex<[WeakReference<NSManagedObjectContext>]>([])
    /// A child's save is being taken over.
    final var isAdopting = false
    /// How often unsaved changes were dropped, by a reset or a rollback.
    final var dropCount = 0
    /// The identity of the next instance that the context itself makes.
    @exclusivity(unchecked) private var existingObject: ExistingObject?
    /// The class that `init(context:)` last looked up, with its entity, and all of them.
    @exclusivity(unchecked) final var lastEntity: EntityOfClass?
    final var entitiesOfClasses: [ObjectIdentifier: EntityOfClass] = [:]
    /// The values that a new object of an entity has, of which one was last made. Retained.
    @exclusivity(unchecked) final var lastDefaults: UncountedReference<EntityDefaults>?
    /// Objects that are not changed themselves, but have lost members by unsaved changes of these.
    final var ownersWithRemovedMembers: [NSManagedObject] = []
    /// Objects that were related to something that is deleted, or in no context, since the last save.
    final var strays: MemberList<ObjectReference> = []
    final var isFlushScheduled = false
    /// Whether there is an undo manager, or a record.
    @exclusivity(unchecked) final var recordsUndo = false
    /// How often a value of an object was changed here: as long as it stays, none was.
    @exclusivity(unchecked) final var valueChanges = 0
    /// The changes of the present event, for the undo manager and the open records.
    final var undoStep = UndoStep()
    /// The open records, one in another.
    final var undoRecords: [UndoRecord] = []
    /// Whether changes are not to be undone.
    var isUndoSuspended = false
    /// The subscription to the undo manager's checkpoints.
    var checkpoints: (any NSObjectProtocol)?
    /// Objects that were deleted before a save had them, and that an undo may bring back.
    final var unsavedDeletions: [NSManagedObject] = []
    /// Objects of which a merge told as inserted: they stay registered until the event ends.
    final var mergedInsertions: [NSManagedObject] = []
    /// New objects were made faults: they have their defaults when they are saved.
    @exclusivity(unchecked) final var hasNewFaults = false
    final var isSaving = false
    /// Saves of others that are not merged yet, oldest first.
    final let awaitedMerges = Mutex<[RemoteChange]>([])
    final var notifiedSets = NotifiedSets()
    /// Stores are writing what is unsaved: it cannot be dropped now. And what merge policies change meanwhile.
    final var isWriting = false
    final var changedWhileWriting: [NSManagedObject] = []
    /// Of a root: when temporary IDs in its tree last became permanent. And what of that objects here have.
    final let permanentIDStamp = Atomic<UInt64>(0)
    final var adoptedIDStamp: UInt64 = 0
    /// The query generation that the context reads; nil reads what the stores have now.
    final var pin: GenerationPin?
    /// The objects of which incremental stores were told that the context uses them.
    var registrations = Registrations()
    let lockForOlderCode = NSRecursiveLock()

    /// A context on a queue of this kind.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue =
            ct == .mainQueueConcurrencyType
            ? .main : DispatchQueue(label: "NSManagedObjectContext")
        super.init()
        if ct != .mainQueueConcurrencyType {
            queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
            queue.setSpecific(key: Self.contextKey, value: Weak(reference: WeakReference(self)))
        }
    }

    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    /// A context on a queue of this kind.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    /// A context with the settings of an archived one.
    public convenience required init?(coder: NSCoder) {
        self.init(concurrencyType: .privateQueueConcurrencyType)
    }

    deinit {
        // Objects may outlive the context in the application's hands: they must not reach for it, and must not keep
        // each other alive through the members they have read.
        registry.forEach { $0.becomeOrphan() }
        lastDefaults?.release()
        registrations.register([])
        coordinator?.removeFollower(self)
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
    }

    /// Objects that were inserted since the last save.
    open var insertedObjects: Set<NSManagedObject> { Set(inserted.objects) }
    /// Objects that were changed since the last save, but neither inserted nor deleted.
    open var updatedObjects: Set<NSManagedObject> { Set(updated.objects.filter(\.isUpdated)) }
    /// Objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { Set(deleted.objects) }
    /// The objects that are alive in this context.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

    /// Whether there is anything to save.
    open var hasChanges: Bool {
        !inserted.isEmpty || !deleted.isEmpty || !updated.isEmpty
    }

    /// The state of the stores that the context reads; nil if it reads what they have now.
    open var queryGenerationToken: NSQueryGenerationToken? { parent?.queryGenerationToken ?? pin?.token }

    /// Pins the context to a state of its stores: all it reads is of that state, until it saves, merges, or is pinned
    /// to another. `current` is the state at the next read, nil unpins. What was read already stays as it is until it
    /// is refreshed. Throws for a child context, and for a token of stores that the coordinator does not have.
    ///
    /// Complexity: as `NSPersistentStoreCoordinator.newContext(asOf:)`.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pinToGeneration(generation) }

    /// Whether a fault whose row is gone becomes a deleted object with empty properties. Not asked by methods that
    /// throw; without it, reading such a fault stops the program.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // What follows is here so that it can be overridden; the work is done in the extensions, topic by topic.

    /// Takes a new object into the context; with the next save it goes into a store.
    open func insert(_ object: NSManagedObject) { adopt(object) }

    /// Marks an object for deletion with the next save; delete rules act when pending changes are processed.
    open func delete(_ object: NSManagedObject) { markDeleted(object) }

    /// Assigns a new object to a store. Without it, that is the first store that has the object's entity.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506436-assign
    open func assign(_ object: Any, to store: NSPersistentStore) { choose(store, for: object) }

    /// Gives new objects their permanent IDs now. They stay new.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try makePermanentIDs(for: objects) }

    /// The object with this ID if it is alive in the context. No I/O.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        let id = ownID(objectID.current) ?? objectID.current
        return known(id.key, in: store(of: id))
    }

    /// The object with this ID; a fault if it is not known here. No I/O, so it may turn out not to exist.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { instance(of: objectID) }

    /// The object with this ID, read from the store if needed; throws if there is none.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try readInstance(of: objectID)
    }

    /// How many objects the request would find.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try count(request as UntypedFetchRequest)
    }

    /// Runs a request that is not a fetch.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506529-execute
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult { try run(request) }

    /// Ends an event: delete rules act, undo is registered, `ObjectsDidChange` is posted if anything happened.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506739-processpendingchanges
    open func processPendingChanges() { endEvent() }

    /// Writes all changes: to the stores, or one level up into the parent context.
    ///
    /// Order: pending changes processed (`ObjectsDidChange`), `willSave` of every changed object until nothing
    /// changes any more, `WillSave`, validation, the write, `didSave` of the objects, `DidSave`.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506866-save
    open func save() throws { try writeChanges() }

    /// With `true`, reads the object's row again under its unsaved changes; with `false`, makes it a fault and drops
    /// them.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { refreshObject(object, keepsChanges: flag) }

    /// Refreshes every object: those with changes keep them, the others become faults.
    open func refreshAllObjects() { refreshAll() }

    /// Forgets everything: all objects, all changes.
    open func reset() { invalidateAll() }

    /// Drops all changes since the last save: new objects go, deleted ones come back, changed ones are as saved.
    open func rollback() { dropAllChanges() }

    /// Checks the object for conflicts with the next save even if it is not changed.
    open func detectConflicts(for object: NSManagedObject) { check(object) }

    /// Takes back the last step. Without an undo manager nothing happens.
    open func undo() {
        processPendingChanges()
        undoManager?.undo()
    }

    /// Does again what was taken back last.
    open func redo() {
        processPendingChanges()
        undoManager?.redo()
    }

    /// Merges the changes that another context saved.
    open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

    /// Merges changes made elsewhere, in another process say, into several contexts. The keys are those of
    /// `ObjectsDidChange`, the values arrays or sets of object IDs, or of their URIs.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        mergeRemoteSave(changeNotificationData, into: contexts)
    }

    /// Runs `block` on the context's queue, later, and processes pending changes after it.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { enqueue(block) }

    /// Runs `block` on the context's queue and waits for it. May be nested. Pending changes are not processed after it.
    open func performAndWait(_ block: () -> Void) {
        if isOnQueue { return asCurrent(block) }
        RunningContexts.wait(for: self) { asCurrent(block) }
    }

    /// The older lock: of use only with confinement.
    open func lock() { lockForOlderCode.lock() }
    /// Ends what `lock` began: from before contexts had queues.
    open func unlock() { lockForOlderCode.unlock() }
    /// Locks if nobody else has: from before contexts had queues.
    open func tryLock() -> Bool { lockForOlderCode.try() }

    /// A context confined to the thread that made it. A subclass overrides it, as its initializers may be others.
    open class func new() -> Self {
        guard self == NSManagedObjectContext.self else {
            fatalError("make a \(self) with init(concurrencyType:), or override new()")
        }
        return unsafeDowncast(NSManagedObjectContext(), to: self)
    }

    /// Records a change of a modeled property, which an observer saw, as a change to be saved.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?, context: UnsafeMutableRawPointer?
    ) {
        recordObservation(object, keyPath)
    }

    func consumeExistingObject() -> ExistingObject? {
        defer { existingObject = nil }
        return existingObject
    }

    /// Makes the instance, a fault, of an object that exists in a store or a parent.
    func makeFault(_ id: NSManagedObjectID, key: ObjectKey, store: NSPersistentStore?) -> NSManagedObject {
        let object = make(id, key)
        registry.insert(object, key: key, store: store)
        return object
    }

    /// Makes the fault of an object of the context's own store, as the registry knows it.
    func makeOwnFault(_ id: NSManagedObjectID) -> NSManagedObject {
        let object = make(id, id.key)
        guard let own = registry.lastUsed, own.holds(id) else {
            // The initializer is the program's, and has reset the context.
            registry.insert(object, key: object.key, store: store(of: id))
            return object
        }
        registry.insert(object, own)
        return object
    }

    @inline(__always)
    private func make(_ id: NSManagedObjectID, _ key: ObjectKey) -> NSManagedObject {
        withExtendedLifetime(id) {
            make(ExistingObject(key: key, identity: UncountedReference(id)), id.entity.objectClass, id.entity)
        }
    }

    /// Makes the fault of an object that a store found by its key. It makes its ID when it is asked for it.
    @inline(__always)
    func makeFault(
        _ key: ObjectKey, _ store: NSPersistentStore, _ entity: NSEntityDescription,
        _ objectClass: NSManagedObject.Type, in pages: RegistryPages
    ) -> NSManagedObject {
        let object = make(ExistingObject(key: key, identity: nil), objectClass, entity)
        registry.insert(object, key: key, store: store, in: pages)
        return object
    }

    @inline(__always)
    private func make(
        _ existing: ExistingObject, _ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription
    ) -> NSManagedObject {
        existingObject = existing
        defer { existingObject = nil }
        return NSManagedObject.make(objectClass, entity: entity, insertInto: self)
    }
}
