import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Where a context reads from and saves to: a coordinator, or a parent context.
protocol ObjectSource: AnyObject {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot?
    /// Whether the object is known to exist. No I/O: it may exist if the answer is no.
    func holds(_ id: NSManagedObjectID) -> Bool
    func members(of id: NSManagedObjectID, slot: Int) throws -> [NSManagedObjectID]
    /// The members of several objects' to-many relationships, parallel to `owners`: one statement for each slot.
    func members(of owners: [(id: NSManagedObjectID, slot: Int)]) throws -> [[NSManagedObjectID]]
    /// Puts the rows of these objects where `snapshot(of:)` finds them: one statement for each root entity.
    func loadRows(of ids: [NSManagedObjectID]) throws
    /// The objects that a request finds, with their rows put where `snapshot(of:)` finds them if it reads them whole.
    func matches(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> StoreMatches
    func count(_ request: StoreRequest) throws -> Int
    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary]
}

extension NSManagedObjectContext {
    var source: (any ObjectSource)? { parent ?? pin ?? coordinator?.source(for: self) }
}
