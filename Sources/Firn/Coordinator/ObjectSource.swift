import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Where a context reads from and saves to: a coordinator, or a parent context.
protocol ObjectSource: AnyObject {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot?
    /// Whether the object is known to exist. No I/O: it may exist if the answer is no.
    func holds(_ id: NSManagedObjectID) -> Bool
    /// The row of an object of a context that reads from here, whether it has an ID yet or not.
    func snapshot(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot?
    /// The rows of several objects, parallel to them.
    func snapshots(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?]
    func members(of object: NSManagedObject, slot: Int) throws -> NamedObjects
    /// The members of several objects' to-many relationships, parallel to `owners`: one statement for each slot.
    func members(of owners: [(object: NSManagedObject, slot: Int)]) throws -> [NamedObjects]
    /// Puts the rows of these objects where `snapshot(of:)` finds them: one statement for each root entity.
    func loadRows(of objects: [NamedObjects]) throws
    /// Calls `take` with the objects that a request finds, in one part or several, with their rows put where
    /// `snapshot(of:)` finds them if it reads them whole. `take` must not ask the source for anything.
    func readMatches(
        _ request: StoreRequest, _ monitor: FetchMonitor?, _ take: (FetchBatch) throws -> Void
    ) throws
    func count(_ request: StoreRequest) throws -> Int
    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary]
}

/// One part of what a source has for a request, in order.
struct FetchBatch {
    let found: NamedObjects
    /// Parallel to `found`, for a request that reads some properties only: rows without the others.
    var partial: FetchedRows?
    /// The whole rows, for a request whose objects are not to be faults, where the source reads rows itself.
    var rows: FetchedRows?
}

extension FetchBatch {
    init(_ matches: RowMatches, in store: NSPersistentStore) {
        self.init(found: .keys(matches.keys, in: store), partial: matches.partial, rows: matches.rows)
    }
}

/// All that a source has for a request, part by part.
struct FetchResult {
    var parts: [FetchBatch] = []

    var ids: [NSManagedObjectID] { parts.flatMap { $0.found.ids } }
}

extension ObjectSource {
    /// All that a request finds.
    func matches(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> FetchResult {
        var all = FetchResult()
        try readMatches(request, monitor) { all.parts.append($0) }
        return all
    }

    func snapshots(of objects: [NSManagedObject], maximumAge: Double) throws -> [Snapshot?] {
        try objects.map { try snapshot(of: $0, maximumAge: maximumAge) }
    }
}

extension NSManagedObjectContext {
    var source: (any ObjectSource)? { parent ?? pin ?? coordinator?.source(for: self) }
}
