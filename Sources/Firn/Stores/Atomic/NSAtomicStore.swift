import FirnStore
import FirnLog
public import FirnModel
import FirnProjection
public import Foundation
import Synchronization

/// A store of the application's own whose file is read and written whole: the objects are in memory meanwhile.
///
/// Subclass it and register the class with `registerStoreClass(_:type:)`. What to override:
///
///     load()                             makes a cache node for each object, and hands them to addCacheNodes(_:).
///                                        `metadata`, with NSStoreUUIDKey, may be set here or in loadMetadata()
///     save()                             writes all nodes, `cacheNodes()`, and `metadata`
///     newReferenceObject(for:)           what a new object is known by in the file; by itself numbers, 1, 2, 3 …
///     newCacheNode(for:), updateCacheNode(_:from:)    if nodes are to hold other values than the objects do
///
/// A save whose `save()` throws leaves the nodes as they were. The objects are in tables in memory next to the nodes,
/// so that fetches, conflicts and history are those of every other store.
/// https://developer.apple.com/documentation/coredata/nsatomicstore
open class NSAtomicStore: NSPersistentStore {
    public required init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?, configurationName: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url, options: options)
    }

    let references = ReferenceObjects()
    /// The nodes by their IDs, and what a save that is under way has changed.
    let content = Mutex(AtomicContent())
    private(set) var engine: StoreEngine?
    /// Where the log of the tables in memory is.
    let files = MemoryFileSystem()

    /// Reads the file. Called once, when the store is added; the file may not be there yet.
    open func load() throws {}

    /// Writes the file.
    open func save() throws {
        fatalError("\(Swift.type(of: self)) is a subclass of NSAtomicStore and has to override save()")
    }

    /// A node for an object that is new in the store.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        fill(node, from: managedObject)
        return node
    }

    /// Makes a node hold what an object does.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        fill(node, from: managedObject)
    }

    /// All objects of the store.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { content.withLock { Set($0.nodes.values) } }

    /// Takes nodes that `load()` has made.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        content.withLock { content in
            for node in cacheNodes { content.nodes[node.objectID] = node }
        }
    }

    /// These nodes' objects are being deleted.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// The node of an object; nil if there is none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        content.withLock { $0.nodes[objectID] }
    }

    /// The ID of the object that the file knows by a reference object: a number, a text, a UUID.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        let root = number(of: entity.layout.rootEntity).rawValue
        return objectID(entity, references.key(of: data, root: root))
    }

    /// Returns the reference under which a new object is known. Unique among the objects of its root entity.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        NSNumber(value: content.withLock { $0.nextReference() })
    }

    /// The reference under which the file knows an object.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard let reference = references.reference(root: objectID.rootNumber, primaryKey: objectID.primaryKey) else {
            fatalError("\(objectID.uriRepresentation()) is not an ID of the store \(identifier ?? "?")")
        }
        return reference
    }

    override func open(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        try loadMetadata()
        if let migration = try AtomicMigration(of: self, to: model, entities) { return try migration.run() }
        let made = try StoreOpening(
            place: .memory(MemoryLogFiles(files)), isReadOnly: false, durability: .system, model: model,
            entities: entities
        ).open()
        adopt(made)
        do {
            try checkMetadata(entities)
            try load()
            try adoptMetadata(model: model, entities: entities)
            identity?.identifier = identifier
            try AtomicLoading(self, made, Array(content.withLock { $0.nodes.values })).run()
        } catch {
            made.close()
            throw error
        }
        references.endGiving()
    }

    /// Reads and writes these tables.
    func adopt(_ made: StoreEngine) {
        engine = made
        tables = StoreReader(made, of: self)
        identity = StoreIdentity(identifier: metadata[NSStoreUUIDKey].map { "\($0)" } ?? "", store: self) {
            [references] root, key in references.text(root: root, primaryKey: key)
        }
    }

    /// The model that the file was written with, if it is known: of the models in the program's bundles the one that
    /// agrees with the metadata.
    func storedModel() throws -> NSManagedObjectModel? {
        NSManagedObjectModel.mergedModel(from: NSMappingModel.bundlesInUse, forStoreMetadata: metadata)
    }

    open override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { engine?.close() }

    override func saving(_ change: ObjectChange, in context: NSManagedObjectContext) -> any StoreSaving {
        guard let engine else { fatalError("the store \(self) is not open") }
        return AtomicSave(change, context: context, store: self, engine: engine)
    }

    override func saveMetadata(in context: NSManagedObjectContext, isEmpty: Bool) throws {
        guard hasUnsavedMetadata else { return }
        completeMetadata()
        try save()
        hasUnsavedMetadata = false
    }

    override func move(to url: URL, model: NSManagedObjectModel, entities: [NSEntityDescription]) -> Bool {
        self.url = url
        return true
    }

    override class func replaceStore(
        at destination: URL, with source: URL, options: [AnyHashable: Any]?, closing close: () throws -> Void
    ) throws {
        try StorePlace.refuseDevice(destination)
        do {
            let bytes = [UInt8](try Data(contentsOf: source))
            try close()
            try PosixFileSystem().replaceFile(
                destination.path, in: destination.deletingLastPathComponent().path, with: bytes)
        } catch {
            throw CoreDataError.make(
                .persistentStoreOperation, "cannot replace \(destination.path) with \(source.path): \(error)",
                [NSFilePathErrorKey: destination.path], underlying: error)
        }
    }

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]?) throws {
        guard url.isFileURL, FileManager.default.fileExists(atPath: url.path) else { return }
        try StorePlace.refuseDevice(url)
        try FileManager.default.removeItem(at: url)
    }

    override func objectID(for entity: NSEntityDescription, text: String) -> NSManagedObjectID? {
        objectID(entity, references.key(of: text, root: number(of: entity.layout.rootEntity).rawValue))
    }

    override final func willAssign(_ first: Int64, to objects: [NSManagedObject]) {
        for (key, object) in zip(first..., objects) { willAssign(key, to: object) }
    }

    func number(of entity: NSEntityDescription) -> EntityNumber {
        guard let engine else {
            fatalError("object IDs are made from load() on, not in the initializer or in loadMetadata()")
        }
        return engine.schema.number(of: entity)
    }

    private func objectID(_ entity: NSEntityDescription, _ primaryKey: Int64) -> NSManagedObjectID {
        guard let identity else { fatalError("the store \(self) is not open") }
        return NSManagedObjectID(
            entity: entity, entityNumber: number(of: entity).rawValue,
            rootNumber: number(of: entity.layout.rootEntity).rawValue, primaryKey: primaryKey, store: identity)
    }

    deinit { engine?.close() }
}
