package import FirnLog
import FirnModel
package import FirnProjection
package import Foundation

/// A source of rows, by their keys: the present of a store (`StoreEngine`), its past (`HistoricalBackend`), or an
/// `NSIncrementalStore` (`IncrementalBackend`).
package protocol StoreBackend: AnyObject {
    var schema: StoreSchema { get }
    var rowCache: RowCache { get }

    /// The row under a key; nil if there is none. From the row cache if it is no older than `maximumAge` seconds there;
    /// a negative age means any.
    func snapshot(_ key: ObjectKey, maximumAge: Double) throws -> Snapshot?

    /// The rows under several keys, parallel to `keys`.
    func snapshots(_ keys: [ObjectKey], maximumAge: Double) throws -> [Snapshot?]

    /// The keys of the members of the to-many relationship at `slot`, parallel to `owners`; in its order if it has one.
    func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]

    /// Puts these rows into the row cache.
    func load(_ keys: [ObjectKey]) throws

    /// Calls `body` with what a request finds, in one part or several, with the rows in the row cache if it reads them
    /// whole. The store may be locked meanwhile: `body` must not call this backend.
    func readMatches(_ request: StoreRequest, _ monitor: FetchMonitor?, _ body: (RowMatches) throws -> Void) throws
    func count(_ request: StoreRequest) throws -> Int
    /// The rows of a fetch of dictionaries. `owner` gives object IDs and large values.
    func dictionaries(
        _ request: StoreRequest, of owner: any RowOwner, _ monitor: FetchMonitor?
    ) throws -> [NSDictionary]
    /// Whether a dictionary of the answer may be made of several rows: by groups or aggregates. Of an
    /// `NSIncrementalStore` only groups are known.
    func aggregatesRows(_ request: StoreRequest) throws -> Bool

    /// The values that rows refer to instead of holding them; nil where rows hold all.
    var externalValues: ExternalValues? { get }

    /// The engine that writes the log behind the rows; nil for a store's past, and for an `NSIncrementalStore`.
    var engine: StoreEngine? { get }
}

extension StoreBackend {
    package var engine: StoreEngine? { nil }

    package var externalValues: ExternalValues? { nil }

    package func snapshots(_ keys: [ObjectKey], maximumAge: Double) throws -> [Snapshot?] {
        try keys.map { try snapshot($0, maximumAge: maximumAge) }
    }

    package func members(of owner: ObjectKey, slot: Int) throws -> [ObjectKey] {
        try members(of: [owner], slot: slot).first ?? []
    }
}
