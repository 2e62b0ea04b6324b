import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// Leads a store through the stages of a manager before it is opened.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let url: URL
    let place: StoreOpening.Place
    let configuration: String
    let options: [AnyHashable: Any]
    let model: NSManagedObjectModel

    func run() throws {
        guard let stored = try inCoreDataErrors({ try StagedProgress(place) }) else { return }
        if stored.isUnfinished { try finish(at: stored.checksum) }
        let route: StageRoute
        do {
            route = try StageRoute(manager.stages, from: stored.checksum, to: model.versionChecksum)
        } catch {
            throw self.error(error, stored.checksum)
        }
        for step in route.steps {
            if let stage = step.custom { try run(stage) } else { try migrate(to: try model(step.end), marked: false) }
        }
    }

    private func run(_ stage: NSCustomMigrationStage) throws {
        let current = try resolved(stage.currentModel)
        let next = try resolved(stage.nextModel)
        if let handler = stage.willMigrateHandler { try with(current) { try handler(manager, stage) } }
        try migrate(to: next, marked: stage.didMigrateHandler != nil)
        if stage.didMigrateHandler != nil { try finish(stage, next) }
    }

    /// Continues with a stage whose migration is done.
    private func finish(at checksum: String) throws {
        let stages = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
        guard let stage = stages.first(where: { $0.nextModel.versionChecksum == checksum }) else { return }
        try finish(stage, try resolved(stage.nextModel))
    }

    private func finish(_ stage: NSCustomMigrationStage, _ next: NSManagedObjectModel) throws {
        try with(next) {
            try stage.didMigrateHandler?(manager, stage)
            let stores = manager.container?.persistentStoreCoordinator.persistentStores ?? []
            if let engine = stores.first?.historyEngine { try StagedProgress.finish(engine) }
        }
    }

    /// Runs `body` while the manager's container has the store with a model.
    private func with(_ model: NSManagedObjectModel, _ body: () throws -> Void) throws {
        let container = NSPersistentContainer(
            name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model.withPlainObjects())
        let coordinator = container.persistentStoreCoordinator
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration(in: model), at: url, options: options)
        manager.container = container
        defer {
            manager.container = nil
            try? coordinator.remove(store)
        }
        try body()
    }

    private func migrate(to model: NSManagedObjectModel, marked: Bool) throws {
        var migration = MigrationOptions(nil)
        (migration.migrates, migration.infers, migration.prefersInference) = (true, true, true)
        var opening = StoreOpening(
            place: place, isReadOnly: false, durability: Durability(options: options), model: model,
            entities: model.entities(forConfigurationName: configuration(in: model)) ?? model.entities,
            migration: migration, diskFileSystem: LogFileSystem.of(options))
        if marked { opening.metadata = StagedMark.begun }
        let engine = try inCoreDataErrors { try opening.open() }
        engine.projection.closeFile()
        engine.close()
    }

    /// The errors of what is done as Core Data's.
    private func inCoreDataErrors<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch { throw StoreError.opening(error, path: place.path ?? url.path) }
    }

    private func configuration(in model: NSManagedObjectModel) -> String? {
        model.configurations.contains(configuration) ? configuration : nil
    }

    private func resolved(_ reference: NSManagedObjectModelReference) throws -> NSManagedObjectModel {
        do {
            return try reference.resolve()
        } catch {
            throw CoreDataError.make(
                .managedObjectModelReferenceNotFound, "a model of a migration stage was not found: \(error)",
                underlying: error)
        }
    }

    /// The model at the end of a lightweight stage.
    private func model(_ checksum: String) throws -> NSManagedObjectModel {
        if model.versionChecksum == checksum { return model }
        let references = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
            .flatMap { [$0.currentModel, $0.nextModel] }
        if let reference = references.first(where: { $0.versionChecksum == checksum }) {
            return try resolved(reference)
        }
        if let found = NSManagedObjectModel.inUse(versionChecksum: checksum) { return found }
        throw CoreDataError.make(
            .managedObjectModelReferenceNotFound,
            "a lightweight stage ends with the version \(checksum), and no model of that checksum is in the stages or "
                + "in the program's bundles: put its model file into the target's resources")
    }

    private func error(_ problem: StageRoute.Problem, _ checksum: String) -> NSError {
        let place = [NSFilePathErrorKey: url.path]
        switch problem {
        case .unknownSource:
            return CoreDataError.make(
                .managedObjectModelReferenceNotFound,
                "cannot use staged migration with an unknown model version: the store \(url.path) is of the version "
                    + "\(checksum), and no stage begins with it", place)
        case .unknownTarget:
            return CoreDataError.make(
                .managedObjectModelReferenceNotFound,
                "cannot use staged migration with an unknown model version: no stage leads from \(checksum) to the "
                    + "coordinator's model, \(model.versionChecksum)", place)
        case .backward:
            return CoreDataError.make(
                .stagedMigrationBackwardMigration,
                "the store \(url.path) is of the version \(checksum), which comes after that of the model: open it "
                    + "with the newer model", place)
        }
    }
}

/// Finishing what a migration with `NSPersistentStoreDeferredLightweightMigrationOptionKey` left.
///
/// Objects and their values are migrated when the store is opened, deferred or not. What is left is making the indexes
/// of the new tables, which with many objects takes long: until then fetches and saves are right, but slower. A store
/// with tasks left has the key in its metadata; rebuilt tables never do.
/// https://developer.apple.com/documentation/coredata/nspersistentstoredeferredlightweightmigrationoptionkey
extension NSPersistentStoreCoordinator {
    /// Does all tasks that are left, of every store that can be written.
    public func finishDeferredLightweightMigration() throws {
        for case let store as LoggedStore in persistentStores {
            while try store.finishDeferredTask() {}
        }
    }

    /// Does one task, if any is left: an index of the first store that lacks one. Saves wait as long.
    public func finishDeferredLightweightMigrationTask() throws {
        for case let store as LoggedStore in persistentStores where try store.finishDeferredTask() { return }
    }
}
