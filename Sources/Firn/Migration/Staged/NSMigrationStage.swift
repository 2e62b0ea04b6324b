public import FirnModel
import FirnStore
public import Foundation

/// One step of a staged migration: a lightweight one, or one with the program's own work around it.
/// https://developer.apple.com/documentation/coredata/nsmigrationstage
open class NSMigrationStage: NSObject {
    /// A name for people, in errors.
    open var label: String!

    public override init() { super.init() }
}

/// Versions of a model that lead to each other by lightweight migration, named by their checksums, oldest first.
///
/// From where a stage ends to where the next one begins, lightweight or not, the migration is inferred too. A first
/// stage that names one version leads to it from any version that no stage names.
///
/// The model of the last one is looked for among the models of custom stages, the coordinator's, and the bundles'.
/// https://developer.apple.com/documentation/coredata/nslightweightmigrationstage
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The checksums of the models that the stage passes.
    open private(set) var versionChecksums: [String]

    /// A stage over the models with these checksums.
    public convenience init(_ checksums: [String]) { self.init(checksums: checksums) }

    init(checksums: [String]) {
        versionChecksums = checksums
        super.init()
    }
}

/// A migration from one version to the next with work of the program's own before and after it.
///
///     willMigrateHandler     the container has the store with the current model
///     (inferred migration)   what the handler saved must make it possible
///     didMigrateHandler      the container has the store with the next model
///
/// What a handler saves is in the store, whatever happens next. If the program stops between the migration and the end
/// of `didMigrateHandler`, the handler is called again when the store is opened the next time, which is ours, not
/// Apple's: write it so that it may run twice.
/// https://developer.apple.com/documentation/coredata/nscustommigrationstage
open class NSCustomMigrationStage: NSMigrationStage {
    /// The model that the stage begins with.
    open private(set) var currentModel: NSManagedObjectModelReference
    /// The model that the stage leads to.
    open private(set) var nextModel: NSManagedObjectModelReference
    /// Called before the stage.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called after the stage.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// A stage from one model to the next.
    public convenience init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.init(current: currentModel, next: nextModel)
    }

    init(current: NSManagedObjectModelReference, next: NSManagedObjectModelReference) {
        currentModel = current
        nextModel = next
        super.init()
    }
}

/// The stages by which stores of all versions come to the newest one. It is given as the store option
/// `NSPersistentStoreStagedMigrationManagerOptionKey`.
/// https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager
open class NSStagedMigrationManager: NSObject {
    /// Oldest first.
    open private(set) var stages: [NSMigrationStage]
    /// The store, while a handler runs, with a copy of the model that the handler is about. Its objects are plain
    /// `NSManagedObject`s.
    open internal(set) var container: NSPersistentContainer?

    /// A manager of stages, in order.
    public convenience init(_ stages: [NSMigrationStage]) { self.init(stages: stages) }

    init(stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }
}

extension NSStagedMigrationManager: OpeningStages {
    var hasHandlers: Bool {
        stages.contains { stage in
            let custom = stage as? NSCustomMigrationStage
            return custom?.willMigrateHandler != nil || custom?.didMigrateHandler != nil
        }
    }

    func run(
        on url: URL, at place: StoreOpening.Place, configuration: String, options: [AnyHashable: Any],
        model: NSManagedObjectModel
    ) throws {
        try StagedMigration(
            manager: self, url: url, place: place, configuration: configuration, options: options, model: model
        ).run()
    }
}
