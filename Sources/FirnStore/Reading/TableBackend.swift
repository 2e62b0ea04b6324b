package import FirnLog
import FirnModel
package import FirnProjection
package import Foundation

/// A backend whose rows are in tables, and whose requests are SQL.
package protocol TableBackend: StoreBackend {
    /// Runs `body` with a consistent view of the tables.
    func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R
}

extension TableBackend {
    package func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot? {
        try rowCache.snapshot(key, maximumAge: maximumAge) { try read { try $0.row(key) } }
    }

    package func snapshots(_ keys: [ObjectKey], maximumAge: Double) throws -> [Snapshot?] {
        var rows = rowCache.snapshots(keys, maximumAge: maximumAge)
        let missing = rows.indices.filter { rows[$0] == nil }
        // One statement for all. What is written meanwhile keeps it out of the cache, and is read again.
        if missing.count > 1 { try load(missing.map { keys[$0] }) }
        for index in missing { rows[index] = try snapshot(keys[index], maximumAge: maximumAge) }
        return rows
    }

    package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
        try read { try $0.members(of: owners, slot: slot) }
    }

    package func load(_ keys: [ObjectKey]) throws {
        let epoch = rowCache.epoch
        let rows = try read { try $0.rows(keys) }
        for batch in rows.batches { rowCache.insert(read: batch, epoch: epoch) }
    }

    package func readMatches(
        _ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (RowMatches) throws -> Void
    ) throws {
        let plan = try plan(request)
        guard request.readsValues else {
            return try read { try $0.forEachPartOfKeys(plan, monitor) { try body(RowMatches(keys: $0)) } }
        }
        let epoch = rowCache.epoch
        try read { reader in
            try reader.forEachPart(plan, monitor) { rows in
                var part = RowMatches(keys: rows.keys)
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

    package func count(_ request: StoreRequest) throws -> Int {
        let plan = try plan(request)
        return try read { try $0.count(plan) }
    }

    package func dictionaries(
        _ request: StoreRequest, of owner: any RowOwner, _ monitor: FetchMonitor?
    ) throws -> [NSDictionary] {
        let plan = try plan(request)
        let found = try read { try $0.dictionaries(plan, monitor) }
        let names = found.columns.map { NSString(string: $0.name) }
        return try found.rows.map { try Self.dictionary(names, found.columns, $0, owner) }
    }

    package func aggregatesRows(_ request: StoreRequest) throws -> Bool { try plan(request).aggregatesRows }

    private func plan(_ request: StoreRequest) throws -> FetchPlan {
        do {
            return try schema.plan(request.settings)
        } catch let error as UnsupportedPredicate {
            throw CoreDataError.make(.persistentStoreOperation, error.description, underlying: error)
        }
    }

    /// A row of a dictionary fetch in the types of Apple's API. Nulls are absent.
    private static func dictionary(
        _ names: [NSString], _ columns: [DictionaryColumn], _ row: [PropertyValue], _ owner: any RowOwner
    ) throws -> NSDictionary {
        try withUnsafeTemporaryAllocation(of: AnyObject.self, capacity: row.count) { values in
            try withUnsafeTemporaryAllocation(of: NSObject.self, capacity: row.count) { keys in
                var count = 0
                defer {
                    values[..<count].deinitialize()
                    keys[..<count].deinitialize()
                }
                for index in row.indices {
                    guard let value = try owner.object(row[index], columns[index]) else { continue }
                    values.initializeElement(at: count, to: value)
                    keys.initializeElement(at: count, to: names[index])
                    count += 1
                }
                guard count > 0, let objects = values.baseAddress, let names = keys.baseAddress else {
                    return NSDictionary()
                }
                return NSDictionary(objects: objects, forKeys: names, count: count)
            }
        }
    }
}

/// A store's present.
extension StoreEngine: TableBackend {
    package var engine: StoreEngine? { self }
}
