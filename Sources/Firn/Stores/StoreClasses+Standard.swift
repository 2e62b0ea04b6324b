import FirnModel
import FirnStore
import Foundation

extension StoreClasses {
    /// The names of the classes that an application's own stores are subclasses of.
    static let bases = "NSIncrementalStore or NSAtomicStore"

    /// The kinds of stores that come with the package.
    static var standard: [String: NSPersistentStore.Type] {
        [
            NSSQLiteStoreType: LoggedStore.self, NSInMemoryStoreType: InMemoryStore.self,
            NSBinaryStoreType: BinaryStore.self,
        ]
    }
}

extension NSPersistentStore {
    /// The store, if it keeps a log of its own.
    var loggedStore: LoggedStore? {
        guard case let logged as LoggedStore = self else { return nil }
        return logged
    }
}

extension NSPersistentStoreCoordinator {
    static func register(_ storeClass: AnyClass?, _ type: String) {
        guard let storeClass else { return StoreClasses.register(nil, for: type) }
        guard let storeClass = storeClass as? NSPersistentStore.Type else {
            fatalError("a store class is a subclass of \(StoreClasses.bases), not \(storeClass)")
        }
        StoreClasses.register(storeClass, for: type)
    }
}

/// The metadata of stores of the application's own.
extension NSPersistentStore {
    /// Takes what `loadMetadata()` has set, gives a new store what is missing, and throws if the store was written
    /// with another model, or is of another type.
    func adoptMetadata(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        try checkMetadata(entities)
        try StoreMetadata.checkType(of: metadata, is: type, path: url?.path ?? "in memory")
        let loaded = metadata ?? [:]
        identifier = loaded[NSStoreUUIDKey].map { "\($0)" } ?? identifier ?? UUID().uuidString
        let standard = StoreMetadata.standard(
            identifier: identifier, type: type, model: model, entities: entities)
        metadata = loaded.merging(standard) { $1 }
        standardMetadata = standard
    }

    /// Puts back what the application may have written over.
    func completeMetadata() {
        guard !standardMetadata.isEmpty else { return }
        metadata = (metadata ?? [:]).merging(standardMetadata) { $1 }
    }

    /// The names of the entities that are other than those that the store was written with.
    func changedEntities(_ entities: [NSEntityDescription]) -> [String] {
        if StoreOptions.ignoresVersions.isSet(in: options) { return [] }
        return StoreMetadata.changedEntities(in: metadata, now: entities)
    }

    /// Throws if the store was written with another model.
    func checkMetadata(_ entities: [NSEntityDescription]) throws {
        let names = changedEntities(entities)
        guard !names.isEmpty else { return }
        throw StoreMetadata.otherModel(
            metadata, changed: names, path: url?.path ?? "in memory", migratedBy: Self.migrationManagerClass())
    }
}
