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
    /// Those of the roots of the stored model.
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
        let source = NSPersistentStoreCoordinator(past: manager.sourceModel)
        let from = try source.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path),
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        defer { try? source.remove(from) }
        let destination = NSPersistentStoreCoordinator(past: manager.destinationModel)
        let made = try destination.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        defer { try? destination.remove(made) }
        try manager.migrate(source, to: destination, mapping)
        guard let engine = made.historyEngine else { fatalError("a store in memory is logged") }
        var keys = KeyTranslation(change, plan, lastKeys, from: engine.schema)
        keys.preserveKeys(of: manager)
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
}

extension MigrationOptions {
    /// What a store's options allow, mapping models among it.
    init(_ options: [AnyHashable: Any]?) { self.init(options, runMapping: MappedRows.run) }
}

/// From keys of the store in memory to those of the store that is migrated.
private struct KeyTranslation {
    private let change: ModelChange
    private let plan: LogMigration
    private let memory: StoreSchema
    private let roots: [EntityNumber: EntityNumber]
    private var known: [ObjectKey: ObjectKey] = [:]
    private var taken: Set<ObjectKey> = []
    /// By root: the last key that was given or kept.
    private var last: [EntityNumber: Int64] = [:]

    init(
        _ change: ModelChange, _ plan: LogMigration, _ lastKeys: [EntityNumber: Int64], from memory: StoreSchema
    ) {
        self.change = change
        self.plan = plan
        self.memory = memory
        var roots: [EntityNumber: EntityNumber] = [:]
        for entity in change.schema.entities {
            roots[change.schema.number(of: entity)] = change.schema.number(of: entity.layout.rootEntity)
        }
        self.roots = roots
        for entity in change.stored.entities {
            let number = change.stored.number(of: entity)
            guard let root = roots[number] else { continue }
            let end = (lastKeys[change.stored.number(of: entity.layout.rootEntity)] ?? 0)
                + (plan.entity(number)?.keyOffset ?? 0)
            last[root] = max(last[root] ?? 0, end)
        }
    }

    /// Objects that were made from one of the same entity keep its key.
    mutating func preserveKeys(of manager: NSMigrationManager) {
        for (source, destination) in manager.associatedPairs {
            let (old, made) = (source.objectID.key, destination.objectID.key)
            let number = self.number(made.entity)
            guard known[made] == nil, number == old.entity, let moved = plan.entity(number) else { continue }
            let key = ObjectKey(entity: number, primaryKey: old.primaryKey + moved.keyOffset)
            let rootKey = ObjectKey(entity: roots[number] ?? number, primaryKey: key.primaryKey)
            if taken.insert(rootKey).inserted { known[made] = key }
        }
    }

    private func number(_ entity: EntityNumber) -> EntityNumber {
        guard let described = memory.entity(entity) else { fatalError("the store in memory has the entity") }
        return change.schema.number(of: described)
    }

    private mutating func translated(_ key: ObjectKey) -> ObjectKey {
        if let known = known[key] { return known }
        let number = number(key.entity)
        let root = roots[number] ?? number
        last[root, default: 0] += 1
        let fresh = ObjectKey(entity: number, primaryKey: last[root] ?? 0)
        known[key] = fresh
        return fresh
    }

    mutating func translated(_ group: ChangeGroup) -> ChangeGroup {
        var result = group
        result.entity = number(group.entity)
        result.primaryKeys = group.primaryKeys.map {
            translated(ObjectKey(entity: group.entity, primaryKey: $0)).primaryKey
        }
        result.new = group.new.map { column in
            guard case .references(let keys, let entities) = column.values else { return column }
            var references = Column(.reference)
            for (row, (key, entity)) in zip(keys, entities).enumerated() {
                if column.isNull(at: row) {
                    references.appendNull()
                } else {
                    references.append(translated(ObjectKey(entity: entity, primaryKey: key)))
                }
            }
            return references
        }
        return result
    }

    mutating func translated(_ group: LinkGroup) -> LinkGroup {
        var result = group
        result.entity = number(group.entity)
        result.added = group.added.map { link in
            var link = link
            link.source = translated(link.source)
            link.destination = translated(link.destination)
            return link
        }
        return result
    }
}
