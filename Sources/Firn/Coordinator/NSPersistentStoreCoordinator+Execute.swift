public import FirnModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Sends a request to the stores, and makes what they answer objects of the context.
    ///
    /// A fetch request gives its results, in which unsaved changes of the context do not count; another request gives
    /// the result that the context's `execute(_:)` returns. To be called on the context's queue.
    /// https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/1468877-execute
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the context works on another coordinator: give one whose persistentStoreCoordinator is this one")
        }
        guard let fetch = request as? UntypedFetchRequest else { return try context.run(request) }
        let asked = fetch.withResultType((any NSFetchRequestResult).self)
        asked.includesPendingChanges = false
        return try context.results(asked)
    }
}
