import FirnModel
import FirnProjection
import Foundation

/// What a program allows when a store has another model than the one it opens it with.
struct MigrationOptions {
    var migrates = false
    var infers = false
    /// Whether version hashes do not matter.
    var ignoresVersions = false
    /// Whether what can wait is left to `finishDeferredLightweightMigration()`.
    var defers = false

    init() {}

    init(_ options: [AnyHashable: Any]?) {
        migrates = Self.flag(options, NSMigratePersistentStoresAutomaticallyOption)
        infers = Self.flag(options, NSInferMappingModelAutomaticallyOption)
        ignoresVersions = Self.flag(options, NSIgnorePersistentStoreVersioningOption)
        defers = Self.flag(options, NSPersistentStoreDeferredLightweightMigrationOptionKey)
    }

    /// Whether the store's tables serve the new model as they are.
    func keepsTables(_ change: ModelChange) -> Bool {
        change.keepsTerms && (change.isCompatible || ignoresVersions)
    }

    /// The mapping model of the program's bundles that leads to another model, if it is to be used: where nothing may
    /// be inferred, or cannot be.
    func mappingModel(for change: ModelChange) -> NSMappingModel? {
        guard migrates, !change.isCompatible, !keepsTables(change), !infers || !change.canBeInferred else { return nil }
        return NSMappingModel(
            from: NSMappingModel.bundlesInUse, forSourceModel: change.stored.model,
            destinationModel: change.schema.model)
    }

    private static func flag(_ options: [AnyHashable: Any]?, _ key: String) -> Bool {
        (options?[key] as? NSNumber)?.boolValue ?? (options?[key] as? Bool) ?? false
    }
}
