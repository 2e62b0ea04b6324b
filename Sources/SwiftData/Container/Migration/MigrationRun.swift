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
    /// The models of the store, where other ones are in others; nil if it has all.
    let part: Schema?

    func run() throws {
        // A store that may not be changed is opened as it is, or refused.
        guard !configuration.isStoredInMemoryOnly, configuration.allowsSave,
            FileManager.default.fileExists(atPath: configuration.url.path)
        else { return }
        let path = try path()
        if path.allSatisfy(\.isLightweight) {
            for stage in path { _ = try container(stage.to, configuration) }
            return
        }
        try MigrationFolder.held(for: configuration.url) { folder in
            // Another process may have migrated the store meanwhile.
            for stage in try self.path() { try run(stage, folder) }
        }
    }

    /// The versions, oldest first, with those that stages alone name.
    private var versions: [any VersionedSchema.Type] {
        plan.stages.reversed().reduce(into: plan.schemas) { versions, stage in
            if !versions.contains(where: { $0 == stage.to }) { versions.append(stage.to) }
            if versions.contains(where: { $0 == stage.from }) { return }
            versions.insert(stage.from, at: versions.firstIndex { $0 == stage.to } ?? 0)
        }
    }

    /// The stages that lead from the store's version to the target.
    private func path() throws -> [MigrationStage] {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: configuration.url)
        // What a container opens without a plan need not be in one.
        if isCurrent(target, metadata) { return [] }
        // The last that fits: later versions may have equal entities.
        let versions = versions
        let fitting = versions.lastIndex { isCurrent(Schema(versionedSchema: $0), metadata) }
        guard let start = fitting else {
            throw SwiftDataError.unknownSchema.because(
                "the store \(configuration.url.path) is of none of the versions of \(plan): "
                    + differences(metadata))
        }
        let path = stages(from: versions[start])
        let wanted = versions.firstIndex { isTarget($0) }
        if let wanted, wanted < start, !(path.last.map { isTarget($0.to) } ?? false) {
            throw SwiftDataError.backwardMigration.because(
                "the store \(configuration.url.path) is of version \(versions[start].versionIdentifier), "
                    + "later than \(target.version), and no stage leads back: its " + differences(metadata, to: target))
        }
        return path
    }

    private func isTarget(_ version: any VersionedSchema.Type) -> Bool { Schema(versionedSchema: version) == target }

    /// The stages from a version to the one that is wanted, or to the last. Stages that go in a circle end.
    private func stages(from start: any VersionedSchema.Type) -> [MigrationStage] {
        var path: [MigrationStage] = []
        var current = start
        while !isTarget(current), path.count < plan.stages.count,
            let stage = plan.stages.first(where: { $0.from == current })
        {
            path.append(stage)
            current = stage.to
        }
        return path
    }

    private func run(_ stage: MigrationStage, _ folder: MigrationFolder) throws {
        guard !stage.isLightweight else {
            _ = try container(stage.to, configuration)
            return
        }
        try folder.replace(configuration) { copy in
            switch stage {
            case .lightweight: break
            case .custom(let from, let to, let willMigrate, let didMigrate):
                if let willMigrate { try work(in: container(from, copy), willMigrate) }
                let migrated = try container(to, copy)
                if let didMigrate { try work(in: migrated, didMigrate) }
            case .sideBySide(let from, let to, let migrate):
                let store = ModelConfiguration(configuration.name, url: configuration.url, allowsSave: false)
                let old = ModelContext(try container(from, store))
                try work(in: container(to, copy)) { try migrate(old, $0) }
            }
        }
    }

    private func work(in container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
        let context = ModelContext(container)
        try body(context)
        if context.hasChanges { try context.save() }
    }

    private func container(
        _ version: any VersionedSchema.Type, _ configuration: ModelConfiguration
    ) throws -> ModelContainer {
        var whole = configuration
        whole.schema = nil
        return try ModelContainer(for: Schema(versionedSchema: version), configurations: [whole])
    }

    private func isCurrent(_ schema: Schema, _ metadata: [String: Any]) -> Bool {
        let model = model(of: schema)
        guard let part else { return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
        // Of another version than the target: those that the store has, and those that it will have.
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let names = Set(stored.keys).union(part.entities.map(\.name))
        model.setEntities(model.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: "Part")
        return model.isConfiguration(withName: "Part", compatibleWithStoreMetadata: metadata)
    }

    private func model(of schema: Schema) -> NSManagedObjectModel {
        ManagedModelMaking(schema: schema, className: "NSManagedObject").model()
    }

    /// The entities of the store that differ from those of each version, the nearest version first.
    private func differences(_ metadata: [String: Any]) -> String {
        let differing = versions.reversed().map { version in
            let schema = Schema(versionedSchema: version)
            return (version: schema.version, names: names(metadata, differingFrom: schema))
        }
        return differing.sorted { $0.names.count < $1.names.count }
            .map { "of \($0.version) differ \($0.names.joined(separator: ", "))" }.joined(separator: "; ")
    }

    private func differences(_ metadata: [String: Any], to schema: Schema) -> String {
        "\(names(metadata, differingFrom: schema).joined(separator: ", ")) differ"
    }

    /// The entities that are in one only, or are not the same.
    private func names(_ metadata: [String: Any], differingFrom schema: Schema) -> [String] {
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let known = model(of: schema).entityVersionHashesByName
        return Set(stored.keys).union(known.keys).sorted().compactMap { name in
            switch (stored[name], known[name]) {
            case (let old?, let new?): old == new ? nil : name
            case (nil, _): "\(name) (not in the store)"
            default: "\(name) (in the store only)"
            }
        }
    }
}
#endif
