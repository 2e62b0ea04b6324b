import FirnStore
import FirnModel
import FirnProjection
import FirnLog
import Foundation

/// What a context reads from: the present of a store, its past, or a store of the application's own.
protocol StoreBackend: AnyObject {
    var schema: StoreSchema { get }
    var rowCache: RowCache { get }

    /// The row of an object, from the row cache if it is young enough. Nil if there is none.
    func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot?

    /// The same of several objects, parallel to `keys`.
    func snapshots(_ keys: [ObjectKey], maximumAge: Double) throws -> [Snapshot?]

    /// The keys of the objects in to-many relationships, parallel to `owners`; in order if it is ordered.
    func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]

    /// Puts the rows of these objects into the row cache.
    func load(_ keys: [ObjectKey]) throws

    /// Calls `take` with the objects that a request finds, in one part or several, with their rows in the row cache if
    /// it reads them whole. `store` gives the IDs. The store may be locked meanwhile: `take` must not ask it.
    func readMatches(
        _ request: StoreRequest, in store: NSPersistentStore, _ monitor: FetchMonitor?,
        _ take: (FetchBatch) throws -> Void
    ) throws
    func count(_ request: StoreRequest) throws -> Int
    func dictionaries(
        _ request: StoreRequest, in store: NSPersistentStore, _ monitor: FetchMonitor?
    ) throws -> [NSDictionary]
    /// Whether a dictionary of the answer may be made of several rows: by groups or aggregates.
    func joinsRows(_ request: StoreRequest) throws -> Bool

    /// The values that rows refer to instead of holding them; nil where rows hold all.
    var externalValues: ExternalValues? { get }

    /// What writes the log behind the rows; nil for a store's past, and for a store of the application's own.
    var engine: StoreEngine? { get }
}

extension StoreBackend {
    var engine: StoreEngine? { nil }

    var externalValues: ExternalValues? { nil }

    func snapshots(_ keys: [ObjectKey], maximumAge: Double) throws -> [Snapshot?] {
        try keys.map { try snapshot($0, maximumAge: maximumAge) }
    }

    func members(of owner: ObjectKey, slot: Int) throws -> [ObjectKey] {
        try members(of: [owner], slot: slot).first ?? []
    }
}
