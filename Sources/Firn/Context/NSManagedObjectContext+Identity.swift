import FirnModel
import FirnProjection
import FirnRuntime
import FirnStore
import Foundation

/// From identities to objects.
extension NSManagedObjectContext {
    func instance(of objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        if let own = registry.lastUsed, own.holds(objectID) {
            return own.pages.with { $0.object(for: objectID.key) } ?? makeOwnFault(objectID)
        }
        let objectID = objectID.current
        if parent == nil, let ownStore { registry.setLastUsed(ownStore) }
        let store = store(of: objectID)
        if let known = known(objectID.key, in: store) { return known }
        if let own = ownID(objectID) { return instance(of: own) }
        return makeFault(objectID, key: objectID.key, store: store)
    }

    /// The objects with these names, in their order.
    func objects(_ named: NamedObjects) -> [NSManagedObject] {
        switch named {
        case .ids(let ids): ids.map(object(with:))
        case .keys(let keys, let store): objects(with: keys, in: store)
        }
    }

    /// The objects with these keys in a store: what they have in common is looked up once for each run of an entity.
    private func objects(with keys: [ObjectKey], in store: NSPersistentStore) -> [NSManagedObject] {
        guard parent == nil, store.isOf(coordinator), let schema = store.schema else {
            return store.objectIDs(for: keys).map(object(with:))
        }
        checkQueue()
        // An array made for nothing is one that all threads share, and making it writes its count.
        if keys.isEmpty { return [] }
        let pages = registry.pages(of: store)
        var entity: (number: EntityNumber, description: NSEntityDescription, objectClass: NSManagedObject.Type)?
        func object(_ key: ObjectKey) -> NSManagedObject? {
            if entity?.number != key.entity {
                entity = schema.entity(key.entity).map { (key.entity, $0, $0.objectClass) }
            }
            guard let entity else { return nil }
            return pages.object(for: key) ?? makeFault(key, store, entity.description, entity.objectClass, in: pages)
        }
        // The room for several is made by a way that looks up types.
        if keys.count == 1 { return object(keys[0]).map { [$0] } ?? [] }
        return Array(unsafeUninitializedCapacity: keys.count) { objects, count in
            for key in keys {
                guard let object = object(key) else { continue }
                objects.initializeElement(at: count, to: object)
                count += 1
            }
        }
    }

    /// The ID that this context's coordinator has for an object of which another one gave the ID, as one that shows the
    /// same store's past; nil if the ID is this one's, or of a store that it has not.
    func ownID(_ objectID: NSManagedObjectID) -> NSManagedObjectID? {
        // Nearly all IDs are of the same store as the one before.
        if let ownStore, objectID.storeIdentity === ownStore { return nil }
        guard let other = (objectID.storeObject as? NSPersistentStore)?.persistentStoreCoordinator,
            let coordinator = persistentStoreCoordinator
        else { return nil }
        if other === coordinator {
            ownStore = objectID.storeIdentity
            return nil
        }
        guard let own = coordinator.managedObjectID(forURIRepresentation: objectID.uriRepresentation()),
            (own.storeObject as? NSPersistentStore)?.persistentStoreCoordinator === coordinator
        else { return nil }
        return own
    }

    func readInstance(of objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkQueue()
        let objectID = objectID.current
        if let known = registeredObject(for: objectID), !known.isFault {
            if known.state.contains(.gone) { throw CoreDataError.missing(objectID) }
            return known
        }
        if let own = ownID(objectID) { return try readInstance(of: own) }
        guard let reader = try reader(of: store(of: objectID)),
            let snapshot = try reader.row(of: objectID, maximumAge: stalenessInterval)
        else {
            throw CoreDataError.missing(objectID)
        }
        let object = object(with: objectID)
        object.realize(snapshot)
        return object
    }

    /// The store in which an object with this ID lives, if it is one of this context's.
    func store(of objectID: NSManagedObjectID) -> NSPersistentStore? {
        objectID.storeObject as? NSPersistentStore
    }

    /// The object at the end of a stored reference from `object`.
    func object(for key: ObjectKey, inStoreOf object: NSManagedObject) -> NSManagedObject {
        let store = object.store ?? store(holding: key.entity)
        if let known = known(key, in: store) { return known }
        guard let store, let id = store.objectID(for: key) else {
            fatalError("\(object.identity.uriRepresentation()) leads to an object of no store: \(key)")
        }
        return makeFault(id, key: key, store: store)
    }

    /// The object under a key, if it is alive in the context.
    func known(_ key: ObjectKey, inStoreOf object: NSManagedObject) -> NSManagedObject? {
        known(key, in: object.store ?? store(holding: key.entity))
    }

    /// The object with this key if it is alive in the context. In a child it may be here under the ID that it had
    /// before the root's save.
    func known(_ key: ObjectKey, in store: NSPersistentStore?) -> NSManagedObject? {
        if let object = registry.object(for: key, in: store) { return object }
        guard parent != nil, !key.isTemporary, adoptPermanentIDs() else { return nil }
        return registry.object(for: key, in: store)
    }

    /// The store of an object that has none yet: relationships do not leave a store, so it is that of what it refers
    /// to.
    private func store(holding entity: EntityNumber) -> NSPersistentStore? {
        persistentStoreCoordinator?.persistentStores.first { $0.schema?.entity(entity) != nil }
    }

    /// Gives an object the identity under which the store knows it. The instance and its hash stay the same.
    func makePermanent(_ object: NSManagedObject, key: ObjectKey, store: NSPersistentStore) {
        rename(object, to: store.permanentID(for: key), key: key, store: store)
    }

    /// Whether an object of the root entity, or of one that inherits from it, is known here under one of the keys.
    /// O(keys × entities).
    func knows(
        _ keys: Range<Int64>, root: NSEntityDescription, schema: StoreSchema, in store: NSPersistentStore
    ) -> Bool {
        var entities = [root]
        while let entity = entities.popLast() {
            entities += entity.subentities
            guard schema.contains(entity) else { continue }
            let number = schema.number(of: entity)
            for key in keys where registry.object(for: ObjectKey(entity: number, primaryKey: key), in: store) != nil {
                return true
            }
        }
        return false
    }

    /// Gives new objects, all of one root entity, consecutive keys. `old` takes those that they had.
    func makePermanent(
        _ objects: [NSManagedObject], firstKey: Int64, schema: StoreSchema, store: NSPersistentStore,
        old: inout TemporaryIdentities
    ) {
        var primaryKey = firstKey
        var layout: EntityLayout?
        var entity = EntityNumber(0)
        let pages = registry.pages(of: store)
        pages.expect(objects.count)
        old.append(objects)
        objects.forEachUnretained { object in
            if object.layout !== layout {
                layout = object.layout
                entity = schema.number(of: object.layout.entity)
            }
            let temporary = object.key
            registry.move(object, to: ObjectKey(entity: entity, primaryKey: primaryKey), store: store, in: pages)
            old.append(temporary, object.endTemporaryIdentity())
            primaryKey += 1
        }
    }

    func rename(
        _ object: NSManagedObject, to id: NSManagedObjectID, key: ObjectKey, store: NSPersistentStore?
    ) {
        registry.remove(object)
        object.identity = id
        registry.insert(object, key: key, store: store)
    }

    /// Takes permanent IDs back: the save that was to write them failed.
    func makeTemporary(_ identities: TemporaryIdentities) {
        identities.forEach { object, key, id in
            // The store may be one that the application assigned.
            let store = object.store
            registry.remove(object)
            registry.insert(object, key: key, store: store)
            object.restoreTemporaryIdentity(id)
        }
    }

    /// The object with this ID; nil if its store has none. Throws if the store cannot be read.
    package final func objectInStore(_ id: NSManagedObjectID) throws -> NSManagedObject? {
        do { return try existingObject(with: id) } catch CocoaError.managedObjectReferentialIntegrity { return nil }
    }

    /// The row behind an object that is a fault, or nil if it is gone.
    func snapshot(for object: NSManagedObject) -> Snapshot? {
        object.hints?.batch?.load()
        if parent == nil, pin == nil, coordinator != nil, object.key.primaryKey > 0,
            let row = object.withStore({ store in
                store.isRemoved ? nil : store.cachedRows?.snapshot(object.key, maximumAge: stalenessInterval)
            })
        {
            return row
        }
        return reading(object, lost: nil) { try storedRow(of: object, maximumAge: stalenessInterval) }
    }

    /// The rows behind objects, parallel to them, with nil for those that are gone.
    func snapshots(for objects: [NSManagedObject]) -> [Snapshot?] {
        guard let first = objects.first else { return [] }
        return reading(first, lost: objects.map { _ in nil }) {
            guard let store = first.store, let reader = try reader(of: store),
                objects.all({ $0.isIn(store) && $0.key.primaryKey > 0 })
            else { return try objects.map { try storedRow(of: $0, maximumAge: stalenessInterval) } }
            return try reader.rows(of: objects, maximumAge: stalenessInterval)
        }
    }

    /// - Parameter lost: the outcome where the history up to a context's point was deleted, and the point lost with it.
    @inline(__always)
    private func reading<Rows>(
        _ object: NSManagedObject, lost: @autoclosure () -> Rows, _ rows: () throws -> Rows
    ) -> Rows {
        do {
            return try rows()
        } catch CocoaError.persistentHistoryTokenExpired {
            return lost()
        } catch {
            fatalError(
                "cannot read \(object.identity.uriRepresentation()): \(error). Use existingObject(with:) where a "
                    + "read may fail")
        }
    }

    func storedMembers(of object: NSManagedObject, _ slot: Int) -> [NSManagedObject] {
        if let version = object.snapshot?.version, let read = object.hints?.members(slot: slot, version: version) {
            return read
        }
        return reading(object, lost: []) {
            guard let reader = try reader(of: object.store), parent != nil || object.key.primaryKey > 0 else {
                return []
            }
            return try reader.members(of: [object], slot: slot).first.map(objects) ?? []
        }
    }

    /// A fault has no row any more. A save does not ask: the object is gone for it.
    func handleInaccessibleFault(_ object: NSManagedObject, key: String?) {
        let property = key.flatMap { object.entity.propertiesByName[$0] }
        guard
            isSaving || isAdopting
                || shouldHandleInaccessibleFault(object, for: object.identity, triggeredByProperty: property)
        else {
            fatalError(
                "Core Data could not fulfill a fault for \(object.identity.uriRepresentation()): the object was "
                    + "deleted from its store. Set shouldDeleteInaccessibleFaults, or use existingObject(with:)")
        }
        // No save has to delete it, and no rollback can bring it back.
        applyDeletion(of: object)
        object.snapshot = nil
        object.state.insert(.notUndone)
        if object.store?.isRemoved == true { pending.deleted.remove(object) }
    }
}

extension CoreDataError {
    static func missing(_ id: NSManagedObjectID) -> NSError {
        make(
            .managedObjectReferentialIntegrity,
            "there is no object \(id.uriRepresentation()): it was deleted, or its store is not open",
            [NSAffectedObjectsErrorKey: [id]])
    }
}

/// The identity and entity of an instance that a context makes for an object of its store or its parent.
struct ExistingObject {
    let key: ObjectKey
    /// Nil for an object of a store that was found by its key.
    let identity: UncountedReference<NSManagedObjectID>?
}
