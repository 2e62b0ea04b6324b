import FirnRuntime
import FirnStore
public import FirnFoundation
public import FirnModel
import FirnProjection
public import Foundation
import Synchronization

/// An object of a managed object context: one instance for each object ID in each context.
///
/// Values live in one of two places. The *snapshot* is the row as it was last read or saved, shared and
/// immutable; `values` holds what the context itself knows in addition: changes, transient values, relationship
/// members.
///
///     snapshot   name "Ada"   born 1815   age null     a row of a `RowBatch`; nil for faults and new objects
///     values       –            –         .integer(36) `unset` slots read through to the snapshot
///     changed                               ✓
///
/// An object is confined to its context's queue, as in Core Data; only `objectID` may be read elsewhere.
/// https://developer.apple.com/documentation/coredata/nsmanagedobject
open class NSManagedObject: NSObject, NSFetchRequestResult, KeyValueCoding, ManagedObjectMaking {
    // An object is confined to a queue, and none of these is handed out to be changed while it is read: the runtime's
    // checks for that would be a fifth of the work of an insert.
    final let layout: EntityLayout
    // Held separately from its layout, which does not hold it: an object may outlive its model.
    /// The object's entity.
    public final let entity: NSEntityDescription
    /// See `identity`.
    final let knownIdentity: AtomicReference<NSManagedObjectID>
    /// Cleared by the context when it goes away before the object does.
    @exclusivity(unchecked) final var contextReference: UncountedReference<NSManagedObjectContext>?
    /// Where the object is registered: negative primary keys are temporary.
    @exclusivity(unchecked) final var key: ObjectKey
    /// Retained; what tells whether there is one, and which, counts no references.
    @exclusivity(unchecked) private final var storeReference: UncountedReference<NSPersistentStore>?
    @exclusivity(unchecked) final var state: ObjectState = []
    @exclusivity(unchecked) final var snapshot: Snapshot? {
        willSet { numbers = QueueCheck.isOn ? nil : newValue?.batch.numbers }
    }
    /// By slot, the numbers of the snapshot's batch that are read without counting references. Nil where the queue is
    /// checked with each access.
    @exclusivity(unchecked) private(set) final var numbers: UnsafePointer<ColumnNumbers>?
    @exclusivity(unchecked) final var values = SlotValues()
    /// Slots changed since the last save or refresh.
    @exclusivity(unchecked) final var changed = SlotSet()
    /// Slots changed since pending changes were last processed.
    @exclusivity(unchecked) final var changedInEvent = SlotSet()
    /// Hints for the object's faults, from the fetch that found it.
    @exclusivity(unchecked) final var hints: FetchHints?

    final var context: NSManagedObjectContext? {
        @inline(__always) get { contextReference?.object }
        set { contextReference = newValue.map(UncountedReference.init) }
    }

    final var store: NSPersistentStore? {
        @inline(__always) get { storeReference?.object }
        set {
            if isIn(newValue) { return }
            let old = storeReference
            storeReference = newValue.map(UncountedReference.retaining)
            old?.release()
        }
    }

    final var hasStore: Bool { storeReference != nil }

    /// Calls `body` with the store, of which it counts no reference; nil without one.
    @inline(__always)
    final func withStore<R>(_ body: (NSPersistentStore) -> R?) -> R? {
        storeReference.flatMap { $0.with(body) }
    }

    @inline(__always)
    final func isIn(_ store: NSPersistentStore?) -> Bool {
        storeReference?.address == store.map { ObjectAddress(of: $0) }
    }

    /// Makes an object of `entity` and, with a context, inserts it there. With `nil` the object has no context:
    /// it can be filled and later inserted with `NSManagedObjectContext.insert(_:)`.
    ///
    /// Gives an object of the entity's class, as Core Data does, if that is a subclass which adds no stored properties
    /// to those of the class that is named: Swift has allocated the object before it knows the entity. Others are made
    /// by `insertNewObject(forEntityName:into:)`, or by naming their class.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobject/1506357-init
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let context, let existing = context.consumeExistingObject() {
            layout = entity.layout
            self.entity = entity
            knownIdentity = AtomicReference(existing.identity.map { .object(.retaining($0.object)) } ?? .none)
            key = existing.key
            contextReference = UncountedReference(context)
            state = .fault
            super.init()
        } else {
            let entity = context?.ownEntity(entity) ?? entity
            layout = entity.layout
            self.entity = entity
            guard !layout.isAbstract else {
                fatalError("\(self.entity.name ?? "?") is an abstract entity: insert one of its subentities")
            }
            knownIdentity = AtomicReference(.marked)
            key = ObjectKey(temporaryNumber: NSManagedObjectID.nextTemporaryNumber())
            super.init()
            adoptClass(of: entity)
            applyDefaults(context)
            context?.insert(self)
        }
    }

    deinit {
        // Before the layout goes.
        values.removeAll()
        storeReference?.release()
    }

    /// Inserts a new object of the entity whose class this is.
    @_disfavoredOverload
    public convenience init(context moc: NSManagedObjectContext) {
        self.init(entity: Self.entity(in: moc), insertInto: moc)
    }

    /// The object's identity: temporary until it is saved.
    public final var objectID: NSManagedObjectID { identity }

    /// The context that the object is in.
    public final var managedObjectContext: NSManagedObjectContext? { context }

    /// Whether the object's values still have to be read.
    public final var isFault: Bool { state.contains(.fault) }

    /// 0 while the object is a fault; not while it is one. Apple documents only "a non-zero value".
    open var faultingState: Int { isFault ? 0 : 1 }

    /// Whether the next save inserts it.
    public final var isInserted: Bool { state.contains(.inserted) }

    /// Whether the next save updates it.
    public final var isUpdated: Bool {
        state.contains(.updated) && state.isDisjoint(with: [.inserted, .deleted])
    }

    /// Whether the next save deletes it.
    public final var isDeleted: Bool { !state.isDisjoint(with: [.deleted, .deletedRemotely]) }

    /// Whether it was new, and its deletion was processed.
    final var isDiscarded: Bool { context == nil && snapshot == nil && state.contains(.gone) }

    /// Whether it was inserted, updated or deleted since the last save.
    public final var hasChanges: Bool { !state.isDisjoint(with: .dirty) }

    /// Whether a saved property has another value than the saved one; setting the same value does not count.
    public final var hasPersistentChangedValues: Bool {
        hasChanges && changed.slots.contains { !layout.slots[$0].isTransient && differsFromSnapshot($0) }
    }

    /// Whether a value may be changed that the model does not know.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Called once, when the object is inserted.
    open func awakeFromInsert() {}
    /// Called when the object's values were read.
    open func awakeFromFetch() {}
    /// Called when undo, a merge or a refresh changed the object.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}
    /// Called before a save of the object.
    open func willSave() {}
    /// Called after a save of the object.
    open func didSave() {}
    /// Called before the object becomes a fault.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open func didTurnIntoFault() {}

    /// Announces that a property is going to be read.
    open func willAccessValue(forKey key: String?) {
        guard isFault else { return }
        if let slot = key.flatMap(layout.slot(named:)), partialRow(slot) != nil { return }
        fulfill(for: key)
    }

    /// Announces that a property was read.
    open func didAccessValue(forKey key: String?) {}

    /// The entity whose class this is, in a model that a coordinator uses; one without a name if there is none.
    open class func entity() -> NSEntityDescription { registeredEntity() }

    /// A request for all objects of the entity whose class this is. Where a class declares its own for its type, as
    /// generated ones do, that one is meant.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { requestForAll() }

    /// Changed properties and their new values since the object was last fetched or saved. Does not fire a fault.
    /// Of a new object, also what was set by primitives, as in `awakeFromInsert()`.
    open func changedValues() -> [String: Any] { anyValues(of: changedSlots) }

    /// Properties that changed since pending changes were last processed, and their old values: those of the last save.
    open func changedValuesForCurrentEvent() -> [String: Any] { earlierValues(of: changedInEvent) }

    /// Values as they were last fetched or saved, for these keys, or for all properties with `nil`. Nulls are `NSNull`.
    /// A new object has none.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

    /// Announces a change that is about to be made with primitive accessors.
    open func willChangeValue(forKey key: String) { beginChange(key) }

    /// Ends what `willChangeValue(forKey:)` began: the change is tracked, and the inverse of a relationship kept.
    open func didChangeValue(forKey key: String) { endChange(key) }

    /// Announces a change of a to-many relationship that is about to be made with primitive accessors.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        beginChange(inKey)
    }

    /// Ends a change of a to-many relationship: it is tracked.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        if let slot = layout.slot(named: inKey) { recordChange(slot) }
    }

    /// The value of a property, without telling anyone. Fires a fault.
    open func primitiveValue(forKey key: String) -> Any? { anyValue(knownSlot(key)) }

    /// Sets a value without tracking a change and without keeping the inverse of a relationship.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { setPrimitive(value, key) }

    /// An unordered to-many relationship as a set whose changes are changes of the object, and keep the inverse.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { mutableMembers(key) }

    /// An ordered to-many relationship as an ordered set whose changes are changes of the object, and keep the inverse.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { mutableOrderedMembers(key) }

    /// The IDs of the objects in a relationship. Does not make faults of them real.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { relatedIDs(key) }

    /// Whether reading the relationship would need the store. Does not fire the fault.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isUnread(key) }

    open func value(forKey key: String) -> Any? {
        guard let slot = layout.slot(named: key) else { return value(forUndefinedKey: key) }
        if entity.hasAccessors, let value = GeneratedKeyNames.value(of: self, forKey: key) { return value }
        return anyValue(slot)
    }

    open func setValue(_ value: Any?, forKey key: String) {
        if entity.hasAccessors, GeneratedKeyNames.set(value, of: self, forKey: key) { return }
        guard let slot = layout.slot(named: key) ?? slotOfSetter(key) else {
            return setValue(value, forUndefinedKey: key)
        }
        setAnyValue(value, slot)
    }

    /// The keys that one depends on, for an override to say. Nothing observes keys here.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    open func value(forUndefinedKey key: String) -> Any? {
        if let value = IntrinsicKey(rawValue: key)?.value(of: self) { return value }
        if let value = GeneratedKeyNames.value(of: self, forKey: key) { return value }
        undefined(key)
    }

    open func setValue(_ value: Any?, forUndefinedKey key: String) { undefined(key) }

    private func undefined(_ key: String) -> Never {
        fatalError(
            "the entity \(entity.name ?? "?") is not key value coding-compliant for the key \"\(key)\"; "
                + "its properties are \(layout.slots.map(\.name).sorted().joined(separator: ", "))")
    }

    /// The value of a property by its name. Generic, so that a subclass may declare a subscript of `String` of its own.
    public subscript(key: some StringProtocol) -> Any? {
        get { value(forKey: String(key)) }
        set { setValue(newValue, forKey: String(key)) }
    }

    /// Property checks of one value; the value may be replaced. Override to add rules, and call `super`.
    open func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
    ) throws {
        guard let slot = layout.slot(named: key) else { return }
        try validate(value.pointee, slot)
    }

    /// Checks the object before it is inserted. Overrides call `super`.
    open func validateForInsert() throws { try validateProperties(for: .insert) }
    /// Checks the object before it is updated. Overrides call `super`.
    open func validateForUpdate() throws { try validateProperties(for: .update) }
    /// Checks the object before it is deleted. Overrides call `super`.
    open func validateForDelete() throws { try validateDeletion() }

    open override var description: String {
        let name = entity.name ?? "?"
        let data = isFault ? "<fault>" : valuesDescription
        return "<\(name): \(identity.uriRepresentation().absoluteString); data: \(data)>"
    }

    open override func isEqual(_ object: Any?) -> Bool { (object as? NSObject) === self }
    open override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }
}

#if !canImport(ObjectiveC)
    /// The pointer type of Apple's validation methods, so that overrides written for it compile.
    public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
#endif
