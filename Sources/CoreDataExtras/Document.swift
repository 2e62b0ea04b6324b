public import Firn
import FirnFoundation
public import FirnModel
import FirnStore
public import Foundation

/// A store in a file that a person opens, saves, saves elsewhere and reverts, without a user interface: what
/// `NSPersistentDocument` is to AppKit. Ours, not Apple's.
///
/// What is not saved lives in `context`. A document that was never saved has a store in memory, which becomes one on
/// disk with its first `save(to:)`.
///
///     let document = try Document(model: model)                       untitled
///     let document = try Document(contentsOf: url, model: model)      from a file
///     … document.context …
///     try document.save(to: other)                                    continues there
///
/// It belongs to the queue of its context, as its objects do.
open class Document {
    /// The model of the document's objects.
    public let model: NSManagedObjectModel
    /// The coordinator that has the document's store.
    public let coordinator: NSPersistentStoreCoordinator
    /// The context of the document's objects, with an undo manager.
    public let context: NSManagedObjectContext
    /// The options that the store is opened with.
    public let options: [AnyHashable: Any]?

    /// The file; nil for a document that was never saved.
    open var fileURL: URL? { store.type == NSInMemoryStoreType ? nil : store.url }
    /// The type of the store that the document has, or will be saved as.
    public private(set) var fileType: NSPersistentStore.StoreType
    /// Whether there are changes that were not saved.
    open var isDocumentEdited: Bool { context.hasChanges }

    private var store: NSPersistentStore

    /// An untitled document.
    public init(
        model: NSManagedObjectModel, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any]? = nil,
        concurrencyType: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
    ) throws {
        self.model = model
        self.options = options
        fileType = type
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = Self.makeContext(concurrencyType, coordinator)
        store = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    }

    /// Opens a document's file. Throws if there is none: a misspelt name makes no new document.
    public init(
        contentsOf url: URL, model: NSManagedObjectModel, type: NSPersistentStore.StoreType = .sqlite,
        options: [AnyHashable: Any]? = nil,
        concurrencyType: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
    ) throws {
        self.model = model
        self.options = options
        fileType = type
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = Self.makeContext(concurrencyType, coordinator)
        store = try coordinator.addPersistentStore(type: type, at: url, options: options)
    }

    private static func makeContext(
        _ type: NSManagedObjectContextConcurrencyType, _ coordinator: NSPersistentStoreCoordinator
    ) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = UndoManager()
        return context
    }

    /// Writes what was changed into the document's file. Throws for one that has none yet.
    open func save() throws {
        guard fileURL != nil else {
            throw CoreDataError.make(
                .persistentStoreSave, "the document was never saved and has no file: use save(to:)")
        }
        try context.performAndWait { try context.save() }
    }

    /// Writes the document, with what was changed, into a new file, and continues with that. The file that it had stays
    /// as it was last saved. Throws if something is at `url`, or if what was changed is not valid, and stays where it
    /// is then.
    ///
    /// Between stores on disk and in memory the history goes along; objects keep their identity in the context.
    open func save(to url: URL, type: NSPersistentStore.StoreType? = nil) throws {
        let type = type ?? fileType
        try context.performAndWait {
            context.processPendingChanges()
            try context.validateUntilStable()
            store = try coordinator.migratePersistentStore(store, to: url, options: options, type: type)
            fileType = type
            try context.save()
        }
    }

    /// Drops what was changed since the last save, and what can be undone, and reads the file again.
    open func revert() throws {
        try context.performAndWait {
            context.reset()
            guard let url = fileURL else { return }
            try coordinator.remove(store)
            store = try coordinator.addPersistentStore(type: fileType, at: url, options: options)
        }
    }

    /// Lets go of the file. What was not saved is dropped; the document can be used no longer.
    open func close() throws {
        try context.performAndWait {
            context.reset()
            try coordinator.remove(store)
        }
    }
}
