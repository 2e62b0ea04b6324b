public import FirnModel
import FirnStore
import Foundation

/// A request that is not a fetch, and that knows how a context executes it.
protocol ContextRequest: NSPersistentStoreRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult
}

extension NSManagedObjectContext {
    func run(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        guard let coordinator = persistentStoreCoordinator else {
            throw CoreDataError.make(
                .persistentStoreOperation, "the context has no persistent store coordinator: set one first")
        }
        guard let request = request as? any ContextRequest else {
            throw CoreDataError.make(
                .persistentStoreUnsupportedRequestType,
                "stores do not answer a \(type(of: request)) here: a fetch request is for fetch(_:)")
        }
        return try request.execute(in: self, coordinator)
    }
}

extension NSFetchRequest where ResultType: NSFetchRequestResult {
    /// Returns the request's results in the context on whose queue this is called, from within one of its `perform`
    /// methods. https://developer.apple.com/documentation/coredata/nsfetchrequest/1640596-execute
    public func execute() throws -> [ResultType] { try NSManagedObjectContext.executing.fetch(self) }
}

extension NSFetchRequest {
    /// Returns the request's results in the context on whose queue this is called. Its type may be any.
    @_disfavoredOverload
    public func execute() throws -> [ResultType] { try NSManagedObjectContext.executing.fetch(self) }
}

extension NSManagedObjectContext {
    fileprivate static var executing: NSManagedObjectContext {
        guard let current else {
            fatalError(
                "execute() works within perform or performAndWait of a context: call it there, or use the context's "
                    + "fetch(_:)")
        }
        return current
    }
}
