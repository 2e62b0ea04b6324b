import FirnModel

// The batch requests, as what a context executes.

extension NSBatchInsertRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).insert(self)
    }
}

extension NSBatchUpdateRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).update(self)
    }
}

extension NSBatchDeleteRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).delete(self)
    }
}
