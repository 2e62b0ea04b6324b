import FirnFoundation
import FirnLog
public import FirnModel
import FirnProjection
import FirnStore
public import Foundation

/// The saving of one context's changes into an incremental store.
///
///     conflicts with the row cache are found and resolved → permanent IDs → the store executes a save request
///          → permanent IDs, where the store gives them with the save (IdentifyingStore)
///          → conflicts that it reports are resolved, and it is asked again
///          → what was saved is in the row cache, and the objects' new snapshots: the store is not asked for it
final class IncrementalSave: StoreSaving {
    private let context: NSManagedObjectContext
    private let store: NSIncrementalStore
    private let reader: IncrementalReader?
    private var inserted: [NSManagedObject]
    private var updated: [NSManagedObject]
    private var deleted: [NSManagedObject]
    private(set) var refreshed: [NSManagedObject] = []
    let sequence: SequenceNumber? = nil
    let outcome = OperationOutcome()
    private var attempts = 0
    private var temporary = TemporaryIdentities()
    /// The store, if it gives IDs with the save.
    private let identifying: (any IdentifyingStore)?

    init(_ change: ObjectChange, context: NSManagedObjectContext, store: NSIncrementalStore) {
        self.context = context
        self.store = store
        identifying = store as? any IdentifyingStore
        reader = store.incrementalReader(for: context)
        inserted = change.inserted
        updated = change.updated
        deleted = change.deleted
    }

    func run() throws {
        guard let reader else {
            throw CoreDataError.make(.persistentStoreSave, "the store \(store.identifier ?? "?") was removed")
        }
        let rows = ConflictRows { try reader.row($0.key, maximumAge: -1) }
        do {
            while true {
                try adoptVersions(rows)
                let found = try ConflictFinder(rows: rows, remote: nil).conflicts(
                    updated: updated, deleted: deleted, checked: share(of: context.checked))
                if !found.isEmpty {
                    try resolve(found, rows)
                    continue
                }
                try DanglingReferences(rows: nil).end(in: [inserted, updated])
                if identifying == nil { try assignIDs() }
                do {
                    try execute()
                    break
                } catch {
                    // The store's own error is thrown as it is: on Linux, an NSError made of it is of another type.
                    let told = try reported(error as NSError, reader, rows)
                    guard !told.isEmpty else { throw error }
                    try resolve(told, rows)
                }
            }
        } catch {
            context.makeTemporary(temporary)
            throw error
        }
        if temporary.becomePermanent() { context.announcePermanentIDs() }
        applySnapshots(reader)
    }

    /// The version of a row that was saved here is a guess, until its node is read: rows with the same values are no
    /// conflict.
    private func adoptVersions(_ rows: ConflictRows) throws {
        for object in updated + deleted + share(of: context.checked) {
            guard let known = object.snapshot, let now = try rows.row(object), now.version != known.version,
                object.layout.storedSlots.allSatisfy({ known.value($0) == now.value($0) })
            else { continue }
            object.rebase(onto: now)
        }
    }

    private func resolve(_ conflicts: [NSMergeConflict], _ rows: ConflictRows) throws {
        attempts += 1
        try ConflictResolver(context: context, rows: rows, attempt: attempts).resolve(conflicts, [])
        let before = updated + deleted
        inserted = share(of: context.inserted)
        updated = share(of: context.updated).filter(\.isUpdated)
        deleted = share(of: context.deleted).filter { $0.snapshot != nil }
        refreshed += before.filter { $0.state.isDisjoint(with: [.inserted, .updated, .deleted, .deletedRemotely]) }
    }

    private func share(of list: ObjectList) -> [NSManagedObject] { list.share(of: store, store.schema) }

    private func assignIDs() throws {
        let new = inserted.filter { $0.key.isTemporary }
        if !new.isEmpty { makePermanent(new, try store.permanentKeys(for: new, in: context)) }
    }

    private func makePermanent(_ objects: [NSManagedObject], _ keys: [ObjectKey]) {
        temporary.append(objects)
        for (object, key) in zip(objects, keys) {
            temporary.append(object.key, object.identity)
            context.makePermanent(object, key: key, store: store)
        }
    }

    private func execute() throws {
        let changed = updated.filter { !$0.layout.storedChanges($0.changed).isEmpty }
        let locked = share(of: context.checked).filter { !$0.hasChanges }
        if inserted.isEmpty, changed.isEmpty, deleted.isEmpty, locked.isEmpty { return }
        func set(_ objects: [NSManagedObject]) -> Set<NSManagedObject>? { Set(objects) }
        let request = NSSaveChangesRequest(
            inserted: set(inserted), updated: set(changed), deleted: set(deleted), locked: set(locked))
        request.affectedStores = [store]
        if let identifying {
            try assign(identifying.save(request, with: context))
        } else {
            _ = try store.execute(request, with: context)
        }
        store.hasUnsavedMetadata = false
    }

    /// The new objects have these IDs, by their temporary ones.
    private func assign(_ ids: [NSManagedObjectID: NSManagedObjectID]) throws {
        let keys = try inserted.map { object in
            if let key = ids[object.objectID]?.key { return key }
            throw CoreDataError.make(
                .persistentStoreSave,
                "\(type(of: store)) saved \(object.objectID.uriRepresentation()) and gave it no permanent ID")
        }
        makePermanent(inserted, keys)
    }

    /// The conflicts in the store's error, each with the row that the store has now.
    private func reported(
        _ error: NSError, _ reader: IncrementalReader, _ rows: ConflictRows
    ) throws -> [NSMergeConflict] {
        let told = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any] ?? []
        return try told.compactMap { $0 as? NSMergeConflict }.map { conflict in
            let object = conflict.sourceObject
            let current = try reader.readAgain(object.key)
            return NSMergeConflict(source: object, current: current, isInStore: true, rows: rows)
        }
    }

    /// Objects and the row cache take what was saved. Nothing is read again: a store may answer late, with what it had
    /// before.
    private func applySnapshots(_ reader: IncrementalReader) {
        for object in deleted {
            reader.rowCache.remove([object.key.primaryKey], entity: object.key.entity)
            store.nodeMembers.remove(object.key)
        }
        for object in inserted + updated {
            let isStored = object.isInserted || !object.layout.storedChanges(object.changed).isEmpty
            let row = isStored ? savedRow(object) : object.snapshot
            guard let row else { continue }
            if isStored {
                reader.rowCache.insert(written: row.batch)
                recordMembers(object)
            }
            object.apply(row)
        }
    }

    /// The object's values, as the version after the one that it was read with.
    private func savedRow(_ object: NSManagedObject) -> Snapshot? {
        guard let batch = try? object.currentSnapshot().batch else { return nil }
        let version = (object.snapshot?.version ?? 0) + 1
        return Snapshot(
            batch: RowBatch(
                entity: batch.entity, primaryKeys: batch.primaryKeys, versions: [version], columns: batch.columns),
            row: 0)
    }

    private func recordMembers(_ object: NSManagedObject) {
        if object.isInserted { return store.nodeMembers.setUnread(object.key) }
        for slot in object.layout.toManySlots {
            guard slot < object.values.count, case .toMany(let members) = object.values[slot], members.isChanged else {
                continue
            }
            let (added, removed) = (members.added.map(\.object.key), Set(members.removed.map(\.object.key)))
            let loaded = members.loaded?.map(\.object.key)
            store.nodeMembers.change(of: object.key, slot: slot) { known in
                loaded ?? known.filter { !removed.contains($0) && !added.contains($0) } + added
            }
        }
    }
}

/// A save's request to an incremental store. https://developer.apple.com/documentation/coredata/nssavechangesrequest
open class NSSaveChangesRequest: NSPersistentStoreRequest, @unchecked Sendable {
    /// Objects to insert.
    open private(set) var insertedObjects: Set<NSManagedObject>?
    /// Objects to update.
    open private(set) var updatedObjects: Set<NSManagedObject>?
    /// Objects to delete.
    open private(set) var deletedObjects: Set<NSManagedObject>?
    /// Objects that are not changed, and of which `detectConflicts(for:)` was asked.
    open private(set) var lockedObjects: Set<NSManagedObject>?

    /// A request to save these objects.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
