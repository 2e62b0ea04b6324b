import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import Synchronization

/// Leads the objects of an atomic store to another model when the store is opened with it.
///
///     the file, read with the model that wrote it → a log in memory → a store in a folder for a while, migrated
///          like every store → its log in memory → nodes of the new model, under the reference objects they had
///          → the file, rewritten
///
/// Nothing is written before the last step: what fails leaves the file as it was. An object whose entity came into
/// another hierarchy gets a new reference object.
struct AtomicMigration {
    private let store: NSAtomicStore
    private let model: NSManagedObjectModel
    private let entities: [NSEntityDescription]
    private let storedModel: NSManagedObjectModel
    private let storedNames: Set<String>

    /// Nil if nothing has to be migrated, or nothing may be, which is for the store to report.
    init?(of store: NSAtomicStore, to model: NSManagedObjectModel, _ entities: [NSEntityDescription]) throws {
        let changed = store.changedEntities(entities)
        guard !changed.isEmpty, MigrationOptions(store.options).migrates,
            let hashes = NSManagedObjectModel.versionHashes(in: store.metadata)
        else { return nil }
        let path = store.url?.path ?? "in memory"
        let stages = StoreOptions.stages.value(in: store.options) as? any OpeningStages
        guard stages?.hasHandlers != true else {
            throw CoreDataError.make(
                .migration, "the stages of the migration of \(path) have handlers, which only stores of the type "
                    + "SQLite call: migrate this one without stages, or copy it into such a store first",
                [NSFilePathErrorKey: path])
        }
        guard !store.isReadOnly else {
            throw CoreDataError.make(
                .persistentStoreIncompatibleVersionHash,
                "the store \(path) was written with another model: open it for writing once to migrate it",
                [NSFilePathErrorKey: path])
        }
        guard let storedModel = try store.storedModel() else {
            throw CoreDataError.make(
                .migrationMissingSourceModel,
                "the store \(path) was written with another model, which the program's bundles do not have: it differs "
                    + "in \(changed.joined(separator: ", ")). Add that model to a bundle",
                [NSFilePathErrorKey: path, "metadata": store.metadata ?? [:]])
        }
        self.store = store
        self.model = model
        self.entities = entities
        self.storedModel = storedModel
        storedNames = Set(hashes.keys)
    }

    func run() throws {
        let old = try openOld()
        let engine: StoreEngine
        do {
            defer { old.engine?.close() }
            engine = try migrated(old)
        } catch {
            throw StoreError.opening(error, path: store.url?.path ?? "in memory")
        }
        do {
            store.adopt(engine)
            store.references.merge(old.references)
            store.references.endGiving()
            store.content.withLock { [last = old.content.withLock { $0.lastReference }] in $0.advanceReference(last) }
            store.metadata?[NSStoreModelVersionHashesKey] = nil
            try store.adoptMetadata(model: model, entities: entities)
            store.identity?.identifier = store.identifier
            try write()
        } catch {
            engine.close()
            throw error
        }
    }

    /// The tables of the new model, in memory.
    private func migrated(_ old: NSAtomicStore) throws -> StoreEngine {
        let name = "firn-migration-\(UUID().uuidString)"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Store.sqlite")
        try old.engine?.log.copy(to: StoreFiles(url).logDirectory)
        let onDisk = try opening(.disk(url.path)).open()
        defer { onDisk.close() }
        try onDisk.log.copy(to: StoreOpening.memoryDirectory, on: store.files)
        return try opening(.memory(MemoryLogFiles(store.files))).open()
    }

    private func opening(_ place: StoreOpening.Place) -> StoreOpening {
        var migration = MigrationOptions(store.options)
        // The file is written whole: nothing of it can wait.
        migration.defers = false
        return StoreOpening(
            place: place, isReadOnly: false, durability: .system, model: model, entities: entities,
            migration: migration, name: store.url?.path)
    }

    /// The store as it was.
    private func openOld() throws -> NSAtomicStore {
        let coordinator = NSPersistentStoreCoordinator(past: storedModel)
        var options = store.options ?? [:]
        options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
        let old = type(of: store).init(
            persistentStoreCoordinator: coordinator, configurationName: nil,
            at: store.url ?? URL(fileURLWithPath: "/dev/null"), options: options)
        // The store knows its coordinator weakly.
        try withExtendedLifetime(coordinator) {
            try old.open(
                model: storedModel, entities: storedModel.entities.filter { storedNames.contains($0.name ?? "") })
        }
        return old
    }

    /// Makes the nodes of the migrated objects, and writes the file.
    private func write() throws {
        let coordinator = NSPersistentStoreCoordinator(past: model)
        coordinator.adopt(store)
        // A coordinator that goes away closes the stores that it still has.
        defer { _ = coordinator.exchange(store, for: nil) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let objects = try context.everything(in: store)
            for object in objects where !store.isKnown(object) {
                store.willAssign(object.key.primaryKey, to: [object])
            }
            try store.write(inserted: objects, updated: [], deleted: [])
        }
    }
}

extension NSAtomicStore {
    /// Whether the object has a reference object.
    fileprivate func isKnown(_ object: NSManagedObject) -> Bool {
        references.reference(root: object.objectID.rootNumber, primaryKey: object.key.primaryKey) != nil
    }
}
