import FirnFoundation
import FirnModel
import Foundation

extension NSPersistentContainer {
    /// A container whose stores are copies in memory of this one's, as they are now: a store for each test. Ours, not
    /// Apple's.
    ///
    ///     let fixture = makeFixture()             // once, from files or in memory
    ///     let container = try fixture.fork()      // in each test
    ///
    /// - The copies have what was **saved**. Unsaved changes of contexts are not in them.
    /// - From then on neither knows of the other. The fork stays when the original goes, and can be forked itself.
    /// - Objects have the IDs that they have in the original, also as URIs: `object(with:)` leads to the fork's object.
    ///   New objects get the keys that follow, in each container by itself.
    /// - The copies have the stores' UUIDs, metadata and history, so history tokens go on being valid.
    /// - A copy has its original's type, configuration and options, and can be written, also if that is read-only. It
    ///   is in memory: its URL is one of `/dev/null/`.
    /// - `viewContext` has the settings of the original's: merge policy, automatic merging, author, name, undo manager.
    ///
    /// It may be called on any thread, while others save. Each store is copied between two saves; with several stores,
    /// one after the other. The container is of this one's class, made with `init(name:managedObjectModel:)`, which
    /// must not open stores. Throws for stores that keep no log: binary ones, and those of classes of your own.
    ///
    /// Complexity: O(pages of the tables), some 0.3 ms for 1,000 objects. Of a store on disk also O(bytes of the log
    /// and of large values): fork it once, and fork that for each test.
    public func fork() throws -> Self {
        let fork = Self(name: name, managedObjectModel: managedObjectModel)
        fork.persistentStoreDescriptions = try fork.persistentStoreCoordinator.addForks(of: persistentStoreCoordinator)
        fork.viewContext.adoptSettings(of: viewContext)
        return fork
    }
}

extension NSManagedObjectContext {
    fileprivate func adoptSettings(of context: NSManagedObjectContext) {
        name = context.name
        transactionAuthor = context.transactionAuthor
        transactionMetadata = context.transactionMetadata
        mergePolicy = context.mergePolicy
        if context.undoManager != nil { undoManager = UndoManager() }
        propagatesDeletesAtEndOfEvent = context.propagatesDeletesAtEndOfEvent
        retainsRegisteredObjects = context.retainsRegisteredObjects
        shouldDeleteInaccessibleFaults = context.shouldDeleteInaccessibleFaults
        stalenessInterval = context.stalenessInterval
        automaticallyMergesChangesFromParent = context.automaticallyMergesChangesFromParent
    }
}
