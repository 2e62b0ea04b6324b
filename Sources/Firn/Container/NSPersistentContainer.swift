public import FirnModel
public import Foundation

/// A model, a coordinator and a main-queue context in one piece.
/// https://developer.apple.com/documentation/coredata/nspersistentcontainer
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the model and of the store.
    open private(set) var name: String
    /// The model.
    open private(set) var managedObjectModel: NSManagedObjectModel
    /// The coordinator that has the stores.
    open private(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The context of the main queue.
    open private(set) var viewContext: NSManagedObjectContext
    /// The stores to open. Set it before `loadPersistentStores`.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Looks for a model of this name next to the program and in its bundles.
    public convenience init(name: String) {
        guard let model = Self.model(named: name) else {
            fatalError(
                "no model named \(name) was found in the program's bundles: add \(name).xcdatamodeld to the target's "
                    + "resources, or use init(name:managedObjectModel:)")
        }
        self.init(name: name, managedObjectModel: model)
    }

    /// A container with a model.
    public required init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        persistentStoreDescriptions = [
            NSPersistentStoreDescription(
                url: NSPersistentContainer.defaultDirectoryURL().appendingPathComponent(name + ".sqlite"))
        ]
        super.init()
    }

    private static func model(named name: String) -> NSManagedObjectModel? {
        let bundles = [Bundle.main] + resourceBundles
        for bundle in bundles {
            for kind in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
                if let url = bundle.url(forResource: name, withExtension: kind),
                    let model = NSManagedObjectModel(contentsOf: url)
                {
                    return model
                }
            }
        }
        return nil
    }

    /// The bundles that the package manager puts next to a program for the resources of its targets.
    private static var resourceBundles: [Bundle] {
        let folder = Bundle.main.bundleURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted()
            .compactMap { Bundle(url: folder.appendingPathComponent($0)) }
    }

    /// Where stores go that are given no place: the application support directory.
    open class func defaultDirectoryURL() -> URL {
        let manager = FileManager.default
        let directory =
            manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSTemporaryDirectory())
        try? manager.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    /// Opens every store that the descriptions tell of, and says of each how it went.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// A private-queue context on the coordinator.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs `block` with a private-queue context made for it, on that context's queue.
    @preconcurrency
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs a block with a new context on that context's queue.
    @preconcurrency
    open nonisolated func performBackgroundTask<T>(
        _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        let context = newBackgroundContext()
        return try await context.perform { try block(context) }
    }

    /// A context that sees the store as it was at a point of its history. It reads; saving changes in it fails. Ours,
    /// not Apple's.
    public func newContext(asOf point: HistoryPoint) throws -> NSManagedObjectContext {
        try persistentStoreCoordinator.newContext(asOf: point)
    }
}
