package import FirnModel
package import Foundation

/// The checks of a store's metadata that the application's own store classes made.
extension StoreMetadata {
    /// The names of the entities that are other than those that the store was written with. Empty if the store is new.
    package static func changedEntities(
        in metadata: [String: Any]?, now entities: [NSEntityDescription]
    ) -> [String] {
        guard let stored = NSManagedObjectModel.versionHashes(in: metadata ?? [:]) else { return [] }
        let hashes = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
        return Set(stored.keys).union(hashes.keys).filter { stored[$0] != hashes[$0] }.sorted()
    }

    /// The store was written with another model. `manager` is the class that migrates it.
    package static func otherModel(
        _ metadata: [String: Any]?, changed names: [String], path: String, migratedBy manager: AnyClass
    ) -> NSError {
        CoreDataError.make(
            .persistentStoreIncompatibleVersionHash,
            "the store \(path) was written with another model: it differs in \(names.joined(separator: ", ")). Use "
                + "that model, allow its migration (\(NSMigratePersistentStoresAutomaticallyOption)), migrate it with "
                + "\(manager), or set \(NSIgnorePersistentStoreVersioningOption)",
            [NSFilePathErrorKey: path, "metadata": metadata ?? [:]])
    }

    /// Throws if the store is of another type than it is opened with.
    package static func checkType(of metadata: [String: Any]?, is type: String, path: String) throws {
        guard let stored = metadata?[NSStoreTypeKey] as? String, stored != type else { return }
        throw CoreDataError.make(
            .persistentStoreTypeMismatch,
            "the store \(path) is of the type \(stored), not \(type): open it with that type",
            [NSFilePathErrorKey: path])
    }
}
