import FirnLog
public import FirnModel
import FirnProjection
import FirnStore
public import Foundation

/// A store of the application's own that is asked for what is needed: a web service, a file of any form, a database.
///
/// Subclass it and register the class with `registerStoreClass(_:type:)`. What to override:
///
///     loadMetadata()                             set `metadata`, with NSStoreUUIDKey and NSStoreTypeKey
///     execute(_:with:)                           a fetch request gives objects of the context, IDs, dictionaries or a
///                                                count, in an array; a save request an empty array
///     newValuesForObject(with:with:)             the values of one object; error 133000 where there is none
///     newValue(forRelationship:forObjectWith:with:)
///     obtainPermanentIDs(for:)                   IDs made of reference objects, with `newObjectID`
///
/// The methods may be called on any thread, one context's calls in order. A save whose error has `NSMergeConflict`s
/// (133020 with "conflictList", or `NSPersistentStoreSaveConflictsErrorKey`) is tried again if the context's merge
/// policy settles them.
/// https://developer.apple.com/documentation/coredata/nsincrementalstore
open class NSIncrementalStore: NSPersistentStore {
    let references = ReferenceObjects()
    let nodeMembers = NodeMembers()
    private var loaded: (schema: StoreSchema, rowCache: RowCache)?
    override var loadedSchema: StoreSchema? { loaded?.schema }
    override var rowCache: RowCache? { isRemoved ? nil : loaded?.rowCache }

    open override func loadMetadata() throws { try failNotOverridden("loadMetadata()") }

    /// Answers a fetch request or an `NSSaveChangesRequest`. A save without changes has nil in place of every set: what
    /// is to be written is the metadata.
    ///
    /// A fetch request is an `NSFetchRequest<NSManagedObject>`, whatever its result type. Apple's are of every type at
    /// once; `UntypedFetchRequest.withResultType(_:)` makes one of another type.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        try failNotOverridden("execute(_:with:)")
    }

    /// The values of an object.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        try failNotOverridden("newValuesForObject(with:with:)")
    }

    /// The destinations of an object's relationship: the IDs of a to-many, in order if it is ordered; of a to-one that
    /// its node does not tell the ID, or `NSNull`.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        try failNotOverridden("newValue(forRelationship:forObjectWith:with:)")
    }

    /// The identifier for a new store's metadata.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Permanent IDs for new objects, parallel to them.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        try failNotOverridden("obtainPermanentIDs(for:)")
    }

    /// A context has objects with these IDs now. Told at the end of the event in which they came.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// A context no longer has objects with these IDs. Told at the end of an event, or when the context goes away.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// The ID of the object that the store knows by a reference object: a number, a text, a UUID.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        let (root, number) = numbers(of: entity)
        return objectID(entity, number, root, references.key(of: data, root: root))
    }

    /// The reference object that an ID was made with.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard let reference = references.reference(root: objectID.rootNumber, primaryKey: objectID.primaryKey) else {
            fatalError("\(objectID.uriRepresentation()) is not an ID of the store \(identifier ?? "?")")
        }
        return reference
    }

    override var followsContexts: Bool { true }

    override func contextDidRegister(_ objectIDs: [NSManagedObjectID]) {
        managedObjectContextDidRegisterObjects(with: objectIDs)
    }

    override func contextDidUnregister(_ objectIDs: [NSManagedObjectID]) {
        managedObjectContextDidUnregisterObjects(with: objectIDs)
    }

    override var canSave: Bool { schema != nil }

    override func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        let schema = StoreSchema(model: model, entities: entities)
        try loadMetadata()
        try adoptMetadata(model: model, entities: entities)
        identity = StoreIdentity(identifier: identifier, store: self) { [references] root, key in
            references.text(root: root, primaryKey: key)
        }
        loaded = (schema, makeRowCache())
    }

    /// The rows that a context reads: the store is told which one asks.
    override func reader(for context: NSManagedObjectContext?) -> (any RowReader)? { incrementalReader(for: context) }

    func incrementalReader(for context: NSManagedObjectContext?) -> IncrementalReader? {
        rowCache.map { IncrementalReader(self, rowCache: $0, context: context) }
    }

    /// Of a store of the application's own only groups are known.
    override func aggregatesRows(_ request: StoreRequest) -> Bool {
        !(request.settings.propertiesToGroupBy ?? []).isEmpty
    }

    override func saveMetadata(in context: NSManagedObjectContext, isEmpty: Bool) throws {
        guard isEmpty || hasUnsavedMetadata else { return }
        let request = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
        request.affectedStores = [self]
        completeMetadata()
        _ = try execute(request, with: context)
        hasUnsavedMetadata = false
    }

    override func saving(_ change: ObjectChange, in context: NSManagedObjectContext) -> any StoreSaving {
        IncrementalSave(change, context: context, store: self)
    }

    override func permanentKeys(
        for objects: [NSManagedObject], in context: NSManagedObjectContext
    ) throws -> [ObjectKey] {
        let ids = try obtainPermanentIDs(for: objects)
        guard ids.count == objects.count, ids.allSatisfy({ !$0.isTemporaryID && $0.storeObject === self }) else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "obtainPermanentIDs(for:) of \(Swift.type(of: self)) gave \(ids.count) IDs for \(objects.count) "
                    + "objects, or IDs of another store: make one for each with newObjectID(for:referenceObject:)")
        }
        return ids.map(\.key)
    }

    override func objectID(for entity: NSEntityDescription, text: String) -> NSManagedObjectID? {
        let (root, number) = numbers(of: entity)
        return objectID(entity, number, root, references.key(of: text, root: root))
    }

    private func numbers(of entity: NSEntityDescription) -> (root: UInt32, entity: EntityNumber) {
        guard let schema = loadedSchema else {
            fatalError("object IDs are made once the store is open, not in its initializer or loadMetadata()")
        }
        return (schema.number(of: entity.layout.rootEntity).rawValue, schema.number(of: entity))
    }

    private func objectID(
        _ entity: NSEntityDescription, _ number: EntityNumber, _ root: UInt32, _ primaryKey: Int64
    ) -> NSManagedObjectID {
        guard let identity else { fatalError("the store \(self) is not open") }
        return NSManagedObjectID(
            entity: entity, entityNumber: number.rawValue, rootNumber: root, primaryKey: primaryKey, store: identity)
    }

    private func failNotOverridden(_ method: String) throws -> Never {
        fatalError("\(Swift.type(of: self)) is a subclass of NSIncrementalStore and has to override \(method)")
    }
}

/// A store that knows the IDs of new objects once it has saved them, not before.
package protocol IdentifyingStore: NSIncrementalStore {
    /// Saves the objects of a request. Gives the permanent IDs of those that it inserts by their temporary ones.
    func save(
        _ request: NSSaveChangesRequest, with context: NSManagedObjectContext
    ) throws -> [NSManagedObjectID: NSManagedObjectID]
}

extension NSIncrementalStore {
    /// The store has other values of these objects now: it is asked for them when they are next needed.
    package func discardRows(of objectIDs: [NSManagedObjectID]) {
        for key in objectIDs.map(\.key) {
            rowCache?.remove([key.primaryKey], entity: key.entity)
            nodeMembers.remove(key)
        }
    }
}
