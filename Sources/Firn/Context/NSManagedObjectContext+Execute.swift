import FirnModel
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
