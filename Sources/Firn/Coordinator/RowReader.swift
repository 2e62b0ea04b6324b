import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// A giver of rows to contexts: the tables of a store, as they are or as they were (`StoreReader`), a store of the
/// application's own (`IncrementalReader`), or a parent context. It is asked for objects that are its own.
protocol RowReader: AnyObject {
    /// The row of an object of a context that reads from here, whether it has an ID yet or not; nil if there is none.
    /// From the row cache if it is no older than `maximumAge` seconds there; a negative age means any.
    func row(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot?
    func row(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot?
    /// The rows of several objects, parallel to them.
    func rows(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?]
    /// The members of the to-many relationship at `slot`, parallel to `owners`, which are of one root entity; in its
    /// order if it has one.
    func members(of owners: [NSManagedObject], slot: Int) throws -> [NamedObjects]
    /// Puts the rows of those of these objects that are in the store into the row cache.
    func load(_ objects: [NamedObjects]) throws
    /// Calls `body` with the objects that a request finds, in one part or several, with their rows in the row cache if
    /// it reads them whole. The store may be locked meanwhile: `body` must not call the reader.
    func read(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (FetchBatch) throws -> Void) throws
    func count(_ request: StoreRequest) throws -> Int
    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary]
    /// Calls `body` with the rows of a request for dictionaries. The store may be locked meanwhile.
    func readRows(_ request: StoreRequest, _ columns: ColumnList, _ body: (RowValueCursor) throws -> Void) throws
}

extension RowReader {
    func readRows(_ request: StoreRequest, _ columns: ColumnList, _ body: (RowValueCursor) throws -> Void) throws {
        try body(RowValueCursor(dictionaries(request, nil), columns))
    }

    func rows(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?] {
        try objects.map { try row(of: $0, maximumAge: maximumAge) }
    }
}

/// One part of the answer to a request, in order.
struct FetchBatch {
    let found: NamedObjects
    /// Parallel to `found`, for a request that reads some properties only: rows without the others.
    var partial: FetchedRows?
    /// The whole rows, for a request whose objects are not to be faults, where the store reads rows itself.
    var rows: FetchedRows?
}

extension NSManagedObjectContext {
    /// The reader of the objects of a store: the parent, whatever the store, or the store, as it is or was at the pin.
    func reader(of store: NSPersistentStore?) throws -> (any RowReader)? {
        if let parent { return parent }
        guard coordinator != nil, let store else { return nil }
        return if let pin { try pin.reader(of: store) } else { store.reader(for: self) }
    }

    /// The row of an object in its parent or store.
    func storedRow(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        try reader(of: object.store)?.row(of: object, maximumAge: maximumAge)
    }

    /// Puts the rows of these objects where readers find them: one statement for each root entity.
    func loadRows(of objects: [NamedObjects]) throws {
        if let parent { return try parent.load(objects) }
        for store in coordinator?.persistentStores ?? [] { try reader(of: store)?.load(objects) }
    }

    /// Whether the parent or the store is known to have the object. No I/O: it may have it if the answer is no.
    func isKnownStored(_ id: NSManagedObjectID) -> Bool {
        if let parent { return parent.holds(id) }
        return coordinator != nil && id.persistentStore?.rowCache?.snapshot(id.key) != nil
    }

    /// Whether the object is known to exist here or below. No I/O: it may exist if the answer is no.
    func holds(_ id: NSManagedObjectID) -> Bool {
        performAndWait {
            guard let object = registeredObject(for: id), !object.isFault || object.isInserted else {
                return isKnownStored(id.current)
            }
            return !object.isDeleted && !object.state.contains(.gone)
        }
    }
}
