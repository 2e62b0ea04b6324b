public import FirnFoundation
public import FirnModel
public import Foundation
import FirnLog

/// A workspace of managed objects: one instance for each object ID, changes tracked until they are saved or dropped.
///
/// Everything but `perform…` and the properties that say so belongs to the context's queue.
/// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    let queue: DispatchQueue

    /// Shown in debuggers, and written into the log as the context name of every save.
    open var name: String?
    /// Written into the log as the author of every save.
    open var transactionAuthor: String?
    /// What travels with every save of this context into the log: correlation IDs, the user, the request. Ours, not
    /// Apple's.
    public var transactionMetadata: [String: String] = [:]
    open var mergePolicy: Any = NSMergePolicy.error
    open var undoManager: UndoManager? { didSet { followUndoManager(insteadOf: oldValue) } }
    open var propagatesDeletesAtEndOfEvent = true
    open var retainsRegisteredObjects = false {
        didSet { registry.setRetains(retainsRegisteredObjects) }
    }
    open var shouldDeleteInaccessibleFaults = true
    /// How many seconds old a cached row may be when a fault fires; negative means any age.
    open var stalenessInterval: TimeInterval = -1
    public let userInfo = NSMutableDictionary()

    /// The coordinator at the root of the context's parents.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parent?.persistentStoreCoordinator ?? coordinator }
        set {
            precondition(parent == nil, "a context with a parent reaches the coordinator through it")
            if automaticallyMergesChangesFromParent { coordinator?.removeFollower(self) }
            coordinator = newValue
            if automaticallyMergesChangesFromParent { coordinator?.addFollower(self) }
        }
    }

    /// The context that this one reads from and saves to, instead of a coordinator.
    open var parent: NSManagedObjectContext? {
        willSet {
            precondition(
                coordinator == nil || newValue == nil,
                "a context has a parent or a coordinator: set the coordinator to nil first")
            precondition(
                newValue?.concurrencyType != .confinementConcurrencyType,
                "a parent context needs a queue: use mainQueue or privateQueue")
        }
        didSet {
            parent?.hasChildren = true
            guard automaticallyMergesChangesFromParent else { return }
            oldValue?.persistentStoreCoordinator?.removeFollower(self)
            parent?.persistentStoreCoordinator?.addFollower(self)
        }
    }

    /// Whether saves of the parent, or of other contexts and processes through the coordinator, are merged by
    /// themselves.
    open var automaticallyMergesChangesFromParent = false {
        didSet {
            guard oldValue != automaticallyMergesChangesFromParent else { return }
            if automaticallyMergesChangesFromParent {
                precondition(
                    pinnedGeneration == nil,
                    "a context that is pinned to a query generation cannot follow its parent: unpin it first")
                persistentStoreCoordinator?.addFollower(self)
            } else {
                persistentStoreCoordinator?.removeFollower(self)
            }
        }
    }

    private(set) var coordinator: NSPersistentStoreCoordinator?
    var registry = Registry()
    var pending = PendingChanges()
    var inserted = ObjectList(.inserted)
    var updated = ObjectList(.updated)
    var deleted = ObjectList(.deleted)
    /// Objects that the next save checks for conflicts although they are not changed.
    var checked = ObjectList(.detectsConflicts)
    /// To-one relationships between `willChangeValue` and `didChangeValue`.
    var changingRelationships: [ChangingRelationship] = []
    /// The identity that the next instance takes which the context makes itself.
    private var existingIdentity: NSManagedObjectID?
    var isFlushScheduled = false
    /// What the present event changed, for the undo manager.
    var undoStep = UndoStep()
    /// What happens now is not to be undone.
    var isUndoSuspended = false
    /// The subscription to the undo manager's checkpoints.
    var checkpoints: (any NSObjectProtocol)?
    var isSaving = false
    /// Another context has, or had, this one as its parent.
    var hasChildren = false
    /// Both IDs of objects that children saved into this context when they were new.
    var renamings = Renamings()
    /// Rows that objects of this context were given while the application holds a pinned generation; nil for current.
    var pinnedGeneration: NSQueryGenerationToken?
    let lockForOlderCode = NSRecursiveLock()

    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        queue =
            ct == .mainQueueConcurrencyType
            ? .main : DispatchQueue(label: "NSManagedObjectContext")
        super.init()
        if ct != .mainQueueConcurrencyType {
            queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        }
    }

    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.rawValue) }

    public convenience required init?(coder: NSCoder) {
        self.init(concurrencyType: .privateQueueConcurrencyType)
    }

    deinit {
        // Objects may outlive the context in the application's hands: they must not reach for it, and must not keep
        // each other alive through the members they have read.
        registry.forEach { object in
            object.context = nil
            object.values = []
        }
        coordinator?.removeFollower(self)
        if let checkpoints { NotificationCenter.default.removeObserver(checkpoints) }
    }

    static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Objects that were inserted since the last save.
    open var insertedObjects: Set<NSManagedObject> { Set(inserted.objects) }
    /// Objects that were changed since the last save, but neither inserted nor deleted.
    open var updatedObjects: Set<NSManagedObject> { Set(updated.objects.filter(\.isUpdated)) }
    /// Objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { Set(deleted.objects) }
    /// The objects that are alive in this context.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

    open var hasChanges: Bool {
        !inserted.isEmpty || !deleted.isEmpty || !updated.isEmpty
    }

    open var queryGenerationToken: NSQueryGenerationToken? { pinnedGeneration }

    /// Whether a fault whose row is gone becomes a deleted object with empty properties. Not asked by methods that
    /// throw; without it, reading such a fault stops the program.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    func takeExistingIdentity() -> NSManagedObjectID? {
        defer { existingIdentity = nil }
        return existingIdentity
    }

    /// Makes the instance, a fault, of an object that exists in a store or a parent.
    func makeFault(_ id: NSManagedObjectID, key: ObjectKey, store: NSPersistentStore?) -> NSManagedObject {
        existingIdentity = id
        let object = id.entity.objectClass.init(entity: id.entity, insertInto: self)
        existingIdentity = nil
        registry.insert(object, key: key, store: store)
        return object
    }

    /// From temporary to permanent IDs, and back: children go on using the ones they know.
    struct Renamings {
        private var permanent: [Int64: NSManagedObjectID] = [:]
        private var temporary: [ObjectKey: NSManagedObjectID] = [:]

        mutating func insert(_ old: NSManagedObjectID, _ new: NSManagedObjectID) {
            permanent[old.key.primaryKey] = new
            temporary[new.key] = old
        }

        func permanentID(for key: ObjectKey) -> NSManagedObjectID? { permanent[key.primaryKey] }
        func temporaryID(for key: ObjectKey) -> NSManagedObjectID? { temporary[key] }
    }

    struct ChangingRelationship {
        let object: NSManagedObject
        let slot: Int
        let old: NSManagedObject?
    }
}
