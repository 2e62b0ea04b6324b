package import FirnLog
public import FirnModel
import FirnProjection
import Foundation

/// Makes the rows of a migration by a mapping model, whose policies work on objects. Called with the store's writer
/// lock held. `lastKeys` are those of the stored model's root entities; `path` is that of the tables.
package typealias MappingRunner = (
    _ mapping: NSMappingModel, _ change: ModelChange, _ plan: LogMigration, _ lastKeys: [EntityNumber: Int64],
    _ path: String, _ progress: (@Sendable (Double) -> Void)?
) throws -> ChangeSet

/// The migrations that a program allows when a store has another model than the one it opens it with.
package struct MigrationOptions {
    package var migrates = false
    package var infers = false
    /// Whether version hashes do not matter.
    var ignoresVersions = false
    /// Whether what can wait is left to `finishDeferredLightweightMigration()`.
    package var defers = false
    /// Whether a mapping model is used only where none can be inferred, as in stages.
    package var prefersInference = false
    /// Nil where no mapping model may run.
    package let runMapping: MappingRunner?

    /// Nothing is allowed.
    package init() { runMapping = nil }

    package init(_ options: [AnyHashable: Any]?, runMapping: @escaping MappingRunner) {
        self.runMapping = runMapping
        migrates = StoreOptions.migrates.isSet(in: options)
        infers = StoreOptions.infersMapping.isSet(in: options)
        ignoresVersions = StoreOptions.ignoresVersions.isSet(in: options)
        defers = StoreOptions.defersMigration.isSet(in: options)
    }

    /// Whether the store's tables serve the new model as they are.
    func reusesTables(_ change: ModelChange) -> Bool {
        change.keepsTerms && (change.isCompatible || ignoresVersions)
    }

    /// The mapping model of the program's bundles that leads to another model. It is used also where one could be
    /// inferred, as by Core Data: its policies may do more.
    package func mappingModel(for change: ModelChange) -> NSMappingModel? {
        guard runMapping != nil, migrates, !change.isCompatible, !reusesTables(change),
            !prefersInference || !infers || !change.canBeInferred
        else { return nil }
        return NSMappingModel(
            from: NSMappingModel.bundlesInUse, forSourceModel: change.stored.model,
            destinationModel: change.schema.model)
    }
}

extension NSMappingModel {
    /// The mapping that names, renaming identifiers and defaults tell.
    ///
    /// Throws 134190 with everything that cannot be inferred: entity, property and reason in `userInfo`, several such
    /// errors in `NSDetailedErrors`.
    public class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let inference = MappingInference(ModelMatching(from: sourceModel, to: destinationModel))
        let problems = inference.problems.filter { $0.kind != .missingDefault }
        guard problems.isEmpty else {
            let errors = problems.map(ModelChange.error)
            var userInfo = errors[0].userInfo
            if errors.count > 1 { userInfo[NSDetailedErrorsKey] = errors }
            throw CoreDataError.make(
                .inferredMappingModel,
                "cannot infer a mapping model: " + problems.map(\.description).joined(separator: "; "), userInfo)
        }
        return NSMappingModel(inference.matching)
    }
}
