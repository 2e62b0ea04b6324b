import FirnFoundation
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// The rows in a store's tables: as they are, or as they were after a record.
final class StoreReader: RowReader, @unchecked Sendable {
    private enum Tables {
        case present(StoreEngine)
        case past(AsOfProjection)
    }

    let schema: StoreSchema
    let rowCache: RowCache
    private unowned let store: NSPersistentStore
    private let tables: Tables

    /// The rows that the store has now.
    init(_ engine: StoreEngine, of store: NSPersistentStore) {
        schema = engine.schema
        rowCache = engine.rowCache
        self.store = store
        tables = .present(engine)
    }

    /// The rows that the store had, by the model in force then.
    init(_ past: AsOfProjection, _ schema: StoreSchema, of store: NSPersistentStore) {
        self.schema = schema
        rowCache = store.makeRowCache()
        self.store = store
        tables = .past(past)
        past.whenDiscarded { [rowCache] in rowCache.removeAll() }
    }

    /// The engine that writes the log behind the rows; nil for a store's past.
    var engine: StoreEngine? {
        if case .present(let engine) = tables { engine } else { nil }
    }

    func row(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        object.key.primaryKey > 0 ? try row(object.key, maximumAge) : nil
    }

    func row(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? { try row(id.key, maximumAge) }

    private func row(_ key: ObjectKey, _ maximumAge: Double) throws -> Snapshot? {
        try rowCache.snapshot(key, maximumAge: maximumAge) { try read { try $0.row(key) } }
    }

    func rows(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?] {
        let keys = objects.map { $0.key }
        var rows = rowCache.snapshots(keys, maximumAge: maximumAge)
        let missing = rows.indices.filter { rows[$0] == nil }
        // One statement for all. What is written meanwhile keeps it out of the cache, and is read again.
        if missing.count > 1 { try load(missing.map { keys[$0] }) }
        for index in missing { rows[index] = try row(of: objects[index], maximumAge: maximumAge) }
        return rows
    }

    func members(of owners: [NSManagedObject], slot: Int) throws -> [NamedObjects] {
        let keys = owners.map { $0.key }
        return try read { try $0.members(of: keys, slot: slot) }.map { .keys($0, in: store) }
    }

    func load(_ objects: [NamedObjects]) throws {
        let missing = objects.flatMap { $0.keys(in: store) }.filter { rowCache.snapshot($0) == nil }
        if !missing.isEmpty { try load(missing) }
    }

    private func load(_ keys: [ObjectKey]) throws { try rowCache.load { try read { try $0.rows(keys) }.batches } }

    func read(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (FetchBatch) throws -> Void) throws {
        if store.isRemoved { return }
        let plan = try plan(request)
        guard request.readsValues else {
            return try read { reader in
                try reader.forEachPartOfKeys(plan, monitor) { try body(FetchBatch(found: .keys($0, in: store))) }
            }
        }
        let epoch = rowCache.epoch
        try read { reader in
            try reader.forEachPart(plan, monitor) { rows in
                var part = FetchBatch(found: .keys(rows.keys, in: store))
                if request.isPartial {
                    part.partial = rows
                } else {
                    for batch in rows.batches { rowCache.insert(read: batch, epoch: epoch) }
                    if !request.settings.returnsObjectsAsFaults { part.rows = rows }
                }
                try body(part)
            }
        }
    }

    func count(_ request: StoreRequest) throws -> Int {
        let plan = try plan(request)
        return try read { try $0.count(plan) }
    }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        if store.isRemoved { return [] }
        let plan = try plan(request)
        return try read { try $0.dictionaries(plan, monitor) }.dictionaries(store)
    }

    func readRows(_ request: StoreRequest, _ columns: ColumnList, _ body: (RowValueCursor) throws -> Void) throws {
        if store.isRemoved { return }
        let plan = try plan(request)
        try columns.check(plan)
        try read { try $0.run(plan) { try RowValueCursor($0, plan, columns, store).read(body) } }
    }

    private func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R {
        switch tables {
        case .present(let engine): return try engine.read(body)
        case .past(let past):
            do { return try past.read(body) } catch {
                throw StoreError.readingPast(error, path: store.url?.path)
            }
        }
    }

    /// The request as SQL.
    func plan(_ request: StoreRequest) throws -> FetchPlan {
        do {
            return try schema.plan(request.settings, in: store.identity)
        } catch let error as UnsupportedPredicate {
            throw CoreDataError.make(.persistentStoreOperation, error.description, underlying: error)
        }
    }
}
