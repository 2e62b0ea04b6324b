import FirnFoundation
import FirnLog
package import FirnModel
import FirnProjection
package import Foundation

/// The metadata of a store: the standard keys, and those of the application.
package struct StoreMetadata {
    /// The keys whose values the store gives, whatever is set under them.
    private static let ownKeys: Set<String> = [
        NSStoreUUIDKey, NSStoreTypeKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
        NSPersistentStoreModelVersionChecksumKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ]

    /// `entities` are those of the store's configuration; the store is unfinished if a deferred migration left tasks.
    package static func standard(
        identifier: String, type: String, model: NSManagedObjectModel, entities: [NSEntityDescription],
        isUnfinished: Bool = false
    ) -> [String: Any] {
        let hashes = entities.map { ($0.name ?? "", $0.versionHash) }
        var metadata: [String: Any] = [
            NSStoreUUIDKey: identifier, NSStoreTypeKey: type,
            NSStoreModelVersionHashesKey: Dictionary(hashes) { first, _ in first },
            NSStoreModelVersionIdentifiersKey: Array(model.versionIdentifiers),
            NSPersistentStoreModelVersionChecksumKey: model.versionChecksum,
        ]
        if isUnfinished { metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] = NSNumber(value: true) }
        return metadata
    }

    /// The part of it that the application set.
    package static func additions(in metadata: [String: Any]) -> [String: Any] {
        metadata.filter { !ownKeys.contains($0.key) }
    }

    /// Reads the additions from a log's attachment.
    package static func decoded(_ bytes: [UInt8]?, path: String) throws -> [String: Any] {
        guard let bytes, !bytes.isEmpty else { return [:] }
        guard let list = PropertyList.read(Data(bytes)) else {
            throw CoreDataError.make(
                .persistentStoreOpen, "the metadata of the store \(path) cannot be read: set it again",
                [NSFilePathErrorKey: path])
        }
        return list as? [String: Any] ?? [:]
    }

    package static func encoded(_ additions: [String: Any], path: String) throws -> [UInt8] {
        do {
            return [UInt8](
                try PropertyListSerialization.data(fromPropertyList: additions, format: .binary, options: 0))
        } catch {
            throw CoreDataError.make(
                .persistentStoreSave,
                "the metadata of the store \(path) cannot be written: use strings, numbers, dates, data, and arrays "
                    + "and dictionaries of them",
                [NSFilePathErrorKey: path], underlying: error)
        }
    }
}

/// The metadata of a store that is not open, read from its log.
package struct StoredMetadata {
    private let url: URL
    private var directory: String { StoreFiles(url).logDirectory }

    package init(url: URL) { self.url = url }

    package func read() throws -> [String: Any] {
        if let tables = try detachedTables() {
            let schema = try StoreSchema(tables.model, name: url.path)
            let standard = StoreMetadata.standard(
                identifier: tables.store, type: NSSQLiteStoreType, model: schema.model, entities: schema.entities)
            return try StoreMetadata.decoded(tables.metadata, path: url.path).merging(standard) { $1 }
        }
        return try withLog { log in
            guard let schema = try schema(log) else {
                return [NSStoreUUIDKey: log.storeID.uuidString, NSStoreTypeKey: NSSQLiteStoreType]
            }
            let standard = StoreMetadata.standard(
                identifier: log.storeID.uuidString, type: NSSQLiteStoreType, model: schema.model,
                entities: schema.entities,
                isUnfinished: try Projection.deferredIndexCount(at: url.path, layout: schema.layout) > 0)
            let added = try StoreMetadata.decoded(log.attachment(), path: url.path)
            return added.merging(standard) { $1 }
        }
    }

    /// The model that the store was last written with; nil for a log that has none yet.
    package func model() throws -> NSManagedObjectModel? {
        if let tables = try detachedTables() { return try StoreSchema(tables.model, name: url.path).model }
        return try withLog { try schema($0)?.model }
    }

    /// The tables of a file that came without its log.
    private func detachedTables() throws -> DetachedTables? {
        guard url.isFileURL else { return nil }
        do { return try StoreFiles(url).detachedTables() } catch { throw StoreError.opening(error, path: url.path) }
    }

    package func write(_ metadata: [String: Any]) throws {
        let bytes = try StoreMetadata.encoded(StoreMetadata.additions(in: metadata), path: url.path)
        if try detachedTables() != nil { _ = try StoreFiles(url).adopt() }
        try withLog { log in
            guard !log.isCopy else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "\(url.path) is this machine's copy of a shared store, and no other machine would hear of it: "
                        + "open the store, set its metadata and save", [NSFilePathErrorKey: url.path])
            }
            try SegmentLog.withFolderLock(directory: directory) {
                try SegmentLog.store(attachment: bytes, directory: directory)
            }
        }
    }

    private func schema(_ log: SegmentLog) throws -> StoreSchema? {
        try log.currentModel.map { try StoreSchema($0.model, name: "\(directory), record \($0.sequence)") }
    }

    private func withLog<R>(_ body: (SegmentLog) throws -> R) throws -> R {
        try StoreFiles.refuseServer(url, "asked without being opened: open it, or name its local copy")
        do {
            let isThere = try SegmentLog.exists(directory: directory)
            guard isThere, !StoreFiles(url).isDeleted else {
                throw CoreDataError.make(
                    .persistentStoreOpen, "there is no store at \(url.path)", [NSFilePathErrorKey: url.path])
            }
            let log = try SegmentLog.open(directory: directory, forWriting: false)
            defer { log.close() }
            return try body(log)
        } catch {
            throw StoreError.opening(error, path: url.path)
        }
    }
}

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
