import FirnStore
import FirnModel
import Foundation

/// The metadata of stores of the application's own.
extension NSPersistentStore {
    /// Takes what `loadMetadata()` has set, gives a new store what is missing, and throws if the store was written
    /// with another model, or is of another type.
    func adoptMetadata(model: NSManagedObjectModel, entities: [NSEntityDescription]) throws {
        var metadata = self.metadata ?? [:]
        let path = url?.path ?? "in memory"
        try checkMetadata(entities)
        if let type = metadata[NSStoreTypeKey] as? String, type != self.type {
            throw CoreDataError.make(
                .persistentStoreTypeMismatch,
                "the store \(path) is of the type \(type), not \(self.type): open it with that type",
                [NSFilePathErrorKey: path])
        }
        identifier = metadata[NSStoreUUIDKey].map { "\($0)" } ?? identifier ?? UUID().uuidString
        let standard = StoreMetadata.standard(
            identifier: identifier, type: type, model: model, entities: entities)
        metadata.merge(standard) { $1 }
        self.metadata = metadata
        standardMetadata = standard
    }

    /// Puts back what the application may have written over.
    func completeMetadata() {
        guard !standardMetadata.isEmpty else { return }
        metadata = (metadata ?? [:]).merging(standardMetadata) { $1 }
    }

    /// The names of the entities that are other than those that the store was written with. Empty if that is to be
    /// ignored, or if the store is new.
    func changedEntities(_ entities: [NSEntityDescription]) -> [String] {
        let ignores = (options?[NSIgnorePersistentStoreVersioningOption] as? NSNumber)?.boolValue ?? false
        guard !ignores, let stored = NSManagedObjectModel.versionHashes(in: metadata ?? [:]) else { return [] }
        let hashes = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
        return Set(stored.keys).union(hashes.keys).filter { stored[$0] != hashes[$0] }.sorted()
    }

    /// Throws if the store was written with another model.
    func checkMetadata(_ entities: [NSEntityDescription]) throws {
        let (metadata, path) = (metadata ?? [:], url?.path ?? "in memory")
        let names = changedEntities(entities)
        guard !names.isEmpty else { return }
        throw CoreDataError.make(
            .persistentStoreIncompatibleVersionHash,
            "the store \(path) was written with another model: it differs in \(names.joined(separator: ", ")). Use "
                + "that model, allow its migration (\(NSMigratePersistentStoresAutomaticallyOption)), migrate it with "
                + "\(Self.migrationManagerClass()), or set \(NSIgnorePersistentStoreVersioningOption)",
            [NSFilePathErrorKey: path, "metadata": metadata])
    }
}
