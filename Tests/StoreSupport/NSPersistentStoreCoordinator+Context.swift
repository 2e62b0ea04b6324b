package import Firn

extension NSPersistentStoreCoordinator {
    package func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        return context
    }

    /// Saves what `body` does in a new context.
    package func write(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = context()
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }
}
