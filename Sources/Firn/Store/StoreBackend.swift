import FirnLog
import FirnModel
import FirnProjection

/// What a context reads from: the present of a store, or its past.
protocol StoreBackend: AnyObject {
    var schema: StoreSchema { get }

    /// The row of an object, from the row cache if it is young enough. Nil if there is none.
    func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot?

    /// The keys of the objects in a to-many relationship, in order if it is ordered.
    func members(of owner: ObjectKey, slot: Int) throws -> [ObjectKey]

    /// Runs `body` with a consistent view of the tables.
    func read<R>(_ body: (ProjectionReader) throws -> R) throws -> R

    var rowCache: RowCache { get }
}

extension StoreBackend {
    func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot? {
        if let cached = rowCache.snapshot(key, maximumAge: maximumAge) { return cached }
        let epoch = rowCache.epoch
        guard let (batch, row) = try read({ try $0.row(key) }) else { return nil }
        rowCache.insert(read: batch, epoch: epoch)
        return Snapshot(batch: batch, row: row)
    }

    func members(of owner: ObjectKey, slot: Int) throws -> [ObjectKey] {
        try read { try $0.members(of: owner, slot: slot) }
    }
}
