#if SwiftData
import Firn
import FirnModel
import FirnStore
import Foundation

/// Brings a store to the last version of a plan, stage by stage, before a container opens it.
struct MigrationRun {
    let plan: any SchemaMigrationPlan.Type
    let configuration: ModelConfiguration
    let target: Schema

    func run() throws {
        guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: configuration.url.path) else {
            return
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: configuration.url)
        // The last that fits: later versions may have equal entities.
        let fitting = plan.schemas.lastIndex { isCurrent(Schema(versionedSchema: $0), metadata) }
        guard let start = fitting else {
            // What a container opens without a plan need not be in one.
            if isCurrent(target, metadata) { return }
            throw SwiftDataError.unknownSchema.because(
                "the store \(configuration.url.path) is of none of the versions of \(plan): "
                    + differences(metadata))
        }
        var current: any VersionedSchema.Type = plan.schemas[start]
        while let stage = plan.stages.first(where: { $0.from == current }) {
            try run(stage)
            current = stage.to
        }
    }

    private func run(_ stage: MigrationStage) throws {
        guard case .custom(let from, let to, let willMigrate, let didMigrate) = stage else {
            _ = try container(stage.to)
            return
        }
        if let willMigrate {
            let context = ModelContext(try container(from))
            try willMigrate(context)
            if context.hasChanges { try context.save() }
        }
        let migrated = try container(to)
        if let didMigrate {
            let context = ModelContext(migrated)
            try didMigrate(context)
            if context.hasChanges { try context.save() }
        }
    }

    private func container(_ version: any VersionedSchema.Type) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: version),
            configurations: [ModelConfiguration(configuration.name, url: configuration.url)])
    }

    private func isCurrent(_ schema: Schema, _ metadata: [String: Any]) -> Bool {
        model(of: schema).isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }

    private func model(of schema: Schema) -> NSManagedObjectModel {
        ManagedModelMaking(schema: schema, className: "NSManagedObject").model()
    }

    /// Which entities of the store differ from those of the last version.
    private func differences(_ metadata: [String: Any]) -> String {
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let known = model(of: target).entityVersionHashesByName
        let names = Set(stored.keys).union(known.keys).filter { stored[$0] != known[$0] }.sorted()
        return "its \(names.joined(separator: ", ")) differ from the latest version's"
    }
}
#endif
