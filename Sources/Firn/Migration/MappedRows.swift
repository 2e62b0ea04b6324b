import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// The objects that a mapping model makes of a store's, as the rows of a migration.
///
/// The mapping model runs from the store, read with its own model, into a store in memory. What is there then becomes
/// the migration's rows. An object that was made from one of the same entity keeps its key, if no other took it before;
/// others get keys that none had.
struct MappedRows {
    private let change: ModelChange
    private let plan: LogMigration
    /// The last keys of the root entities of the stored model.
    private let lastKeys: [EntityNumber: Int64]
    private let path: String

    /// A `MappingRunner`.
    static func run(
        _ mapping: NSMappingModel, _ change: ModelChange, _ plan: LogMigration, _ lastKeys: [EntityNumber: Int64],
        _ path: String, _ progress: (@Sendable (Double) -> Void)?
    ) throws -> ChangeSet {
        try MappedRows(change: change, plan: plan, lastKeys: lastKeys, path: path).rows(by: mapping, progress)
    }

    private func rows(by mapping: NSMappingModel, _ progress: (@Sendable (Double) -> Void)?) throws -> ChangeSet {
        let manager = NSMigrationManager(sourceModel: change.stored.model, destinationModel: change.schema.model)
        if let progress { manager.migrationProgressHandler = { part in progress(Double(part)) } }
        let parts = (part(of: manager.sourceModel, change.stored), part(of: manager.destinationModel, change.schema))
        let source = NSPersistentStoreCoordinator(past: manager.sourceModel)
        let from = try source.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: parts.0, at: URL(fileURLWithPath: path),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        defer { try? source.remove(from) }
        let destination = NSPersistentStoreCoordinator(past: manager.destinationModel)
        let made = try destination.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: parts.1, at: nil, options: nil)
        defer { try? destination.remove(made) }
        try manager.migrate(source, to: destination, mapping)
        guard let engine = made.historyEngine else { fatalError("a store in memory is logged") }
        var keys = KeyTranslation(change, plan, lastKeys, from: engine.schema)
        keys.preserveKeys(manager.associations.all.map { ($0.objectID.key, $1.objectID.key) })
        var all = ChangeSet(model: .zero)
        try engine.read { reader in
            try reader.baseline(model: .zero) { part in
                guard case .rows(let changes, _) = part else { return }
                all.groups += changes.groups.map { keys.translated($0) }
                all.links += changes.links.map { keys.translated($0) }
            }
        }
        return all
    }

    /// A configuration of the entities that the store has; nil if these are all of the model's.
    private func part(of model: NSManagedObjectModel, _ schema: StoreSchema) -> String? {
        let names = Set(schema.entities.compactMap(\.name))
        let members = model.entities.filter { names.contains($0.name ?? "") }
        if members.count == model.entities.count { return nil }
        let name = "firn.migration"
        model.setEntities(members, forConfigurationName: name)
        return name
    }
}

extension MigrationOptions {
    /// Reads the migrations that a store's options allow, mapping models among them.
    init(_ options: [AnyHashable: Any]?) { self.init(options, runMapping: MappedRows.run) }
}
