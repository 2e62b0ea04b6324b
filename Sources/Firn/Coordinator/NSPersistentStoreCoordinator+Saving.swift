import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import FirnRuntime
import FirnStore
import Foundation

/// The way of a save to the stores, and its observers.
extension NSPersistentStoreCoordinator {
    /// One store's part of a save.
    struct Share {
        let store: NSPersistentStore
        var change = ObjectChange()
    }

    /// Sorts a context's changes by store. New objects go to the store they were assigned to, else the first whose
    /// configuration has their entity. Stores that only have objects to check come first: they write nothing, and may
    /// be read only.
    func shares(of change: ObjectChange, checking checked: [NSManagedObject] = []) throws -> [Share] {
        if let share = onlyShare(of: change) { return [share] }
        var shares: [Share] = []
        func index(of store: NSPersistentStore, _ object: NSManagedObject) throws -> Int {
            if let index = shares.firstIndex(where: { $0.store === store }) { return index }
            guard !store.isReadOnly, store.canSave else { throw store.readOnlyError(object) }
            shares.append(Share(store: store))
            return shares.count - 1
        }
        // Most new objects are of the same entity as the one before.
        var known: (entity: NSEntityDescription, store: NSPersistentStore)?
        try change.inserted.forEachUnretained { object in
            if object.hasStore { return }
            if known?.entity !== object.layout.entity { known = (object.layout.entity, try storeForNew(object)) }
            object.store = known?.store
        }
        for object in change.inserted {
            guard let store = object.store else { continue }
            shares[try index(of: store, object)].change.inserted.append(object)
        }
        for object in change.updated {
            guard let store = object.store else { continue }
            shares[try index(of: store, object)].change.updated.append(object)
        }
        for object in change.deleted {
            guard let store = object.store else { continue }
            shares[try index(of: store, object)].change.deleted.append(object)
        }
        for case let store? in checked.map(\.store)
        where store.canSave && (!store.isReadOnly || store.tables != nil) {
            if !shares.contains(where: { $0.store === store }) { shares.insert(Share(store: store), at: 0) }
        }
        return shares
    }

    /// The share of the one store that there is, if the change is all its own. What is to be refused is left to the
    /// sorting.
    private func onlyShare(of change: ObjectChange) -> Share? {
        let stores = persistentStores
        guard stores.count == 1, let store = stores.first, !store.isReadOnly, store.canSave,
            let schema = store.schema
        else { return nil }
        var isAllIts = true
        var entity: NSEntityDescription?
        change.inserted.forEachUnretained { object in
            if object.isIn(store) { return }
            if object.layout.entity !== entity {
                guard schema.stores(object.layout.entity) else { return isAllIts = false }
                entity = object.layout.entity
            }
            // Also if not all are its: no other store could take it.
            if object.hasStore { isAllIts = false } else { object.store = store }
        }
        change.updated.forEachUnretained { if !$0.isIn(store) { isAllIts = false } }
        change.deleted.forEachUnretained { if !$0.isIn(store) { isAllIts = false } }
        guard isAllIts else { return nil }
        return Share(store: store, change: change)
    }

    private func storeForNew(_ object: NSManagedObject) throws -> NSPersistentStore {
        if let assigned = object.store { return assigned }
        var readOnly: NSPersistentStore?
        for store in persistentStores where store.schema?.stores(object.entity) ?? false {
            if !store.isReadOnly { return store }
            if readOnly == nil { readOnly = store }
        }
        if let readOnly { return readOnly }
        throw CoreDataError.make(
            .persistentStoreSave,
            persistentStores.isEmpty
                ? "the coordinator has no persistent stores: add one before saving"
                : "no store of the coordinator has the entity \(object.entity.name ?? "?") in its configuration ("
                    + persistentStores.map(\.configurationName).joined(separator: ", ")
                    + "): add the entity to one of them, or add a store of a configuration that has it",
            [NSAffectedObjectsErrorKey: [object]])
    }

    var hasStoreOnDisk: Bool { persistentStores.contains { $0.type == NSSQLiteStoreType && !$0.isAtNullDevice } }

    /// Takes notice of what others wrote into the stores. What fails here is the next read's or save's to report.
    package func followRemoteRecords() {
        for store in persistentStores { try? store.tables?.engine?.refresh() }
    }

    /// Where the stores of this coordinator stand.
    var currentGeneration: NSQueryGenerationToken { NSQueryGenerationToken(token(of: persistentStores)) }

    /// The token of the last transaction of these stores, or of all, also of one that another coordinator or process
    /// saved. Stores without a history have no part in it.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let chosen = stores?.compactMap { $0 as? NSPersistentStore } ?? persistentStores
        for store in chosen { try? store.historyEngine?.refresh() }
        return token(of: chosen.filter { $0.historyEngine != nil })
    }

    private func token(of chosen: [NSPersistentStore]) -> NSPersistentHistoryToken? {
        if chosen.count == 1, let engine = chosen[0].tables?.engine {
            return NSPersistentHistoryToken(chosen[0].identifier, engine.observedPosition)
        }
        var positions: [String: LogPosition] = [:]
        for store in chosen {
            if let engine = store.tables?.engine { positions[store.identifier] = engine.observedPosition }
        }
        return positions.isEmpty ? nil : NSPersistentHistoryToken(positions)
    }
}

extension NSPersistentStore {
    /// The error of a save that would have to write an object of a store which is read only.
    func readOnlyError(_ object: NSManagedObject) -> NSError {
        CoreDataError.make(
            .fileWriteNoPermission,
            "\(object.objectID.uriRepresentation()) is in a store that is read only "
                + "(\(placeName)): open it for writing to save",
            [NSAffectedObjectsErrorKey: [object], NSAffectedStoresErrorKey: [self]])
    }
}

/// The saving of one context's changes into one store, of whatever kind.
protocol StoreSaving: AnyObject {
    /// Writes the changes. On an error nothing was written, and the objects are as they were, but for what a merge
    /// policy resolved.
    func run() throws
    /// Objects whose changes a merge policy dropped: they are what the store has.
    var refreshed: [NSManagedObject] { get }
    /// The record that was written, if the store has a log and there was anything to write.
    var sequence: SequenceNumber? { get }
    /// The outcome for the process's instrument.
    var outcome: OperationOutcome { get }
}
