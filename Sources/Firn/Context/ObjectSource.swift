import FirnLog
import FirnModel
import Foundation

/// Where a context reads from and saves to: a coordinator, or a parent context.
protocol ObjectSource: AnyObject {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot?
    func members(of id: NSManagedObjectID, slot: Int) throws -> [NSManagedObjectID]
    /// The IDs of the objects that a request finds, with their rows put where `snapshot(of:)` finds them.
    func fetchIDs(_ request: StoreRequest) throws -> [NSManagedObjectID]
    func count(_ request: StoreRequest) throws -> Int
    func dictionaries(_ request: StoreRequest) throws -> [NSDictionary]
}

extension NSManagedObjectContext {
    var source: (any ObjectSource)? { parent ?? coordinator }
}
