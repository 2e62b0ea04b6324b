package import FirnLog
import FirnModel
package import FirnProjection

/// From keys of the store in memory to those of the store that is migrated.
package struct KeyTranslation {
    private let change: ModelChange
    private let plan: LogMigration
    private let memory: StoreSchema
    private let roots: [EntityNumber: EntityNumber]
    private var translations: [ObjectKey: ObjectKey] = [:]
    private var usedKeys: Set<ObjectKey> = []
    /// By root: the last key that was given or kept.
    private var last: [EntityNumber: Int64] = [:]

    package init(
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
    package mutating func preserveKeys(_ pairs: [(old: ObjectKey, made: ObjectKey)]) {
        for (old, made) in pairs {
            let number = self.number(made.entity)
            guard translations[made] == nil, number == old.entity, let moved = plan.entity(number) else { continue }
            let key = ObjectKey(entity: number, primaryKey: old.primaryKey + moved.keyOffset)
            let rootKey = ObjectKey(entity: roots[number] ?? number, primaryKey: key.primaryKey)
            if usedKeys.insert(rootKey).inserted { translations[made] = key }
        }
    }

    private func number(_ entity: EntityNumber) -> EntityNumber {
        guard let described = memory.entity(entity) else { fatalError("the store in memory has the entity") }
        return change.schema.number(of: described)
    }

    private mutating func translated(_ key: ObjectKey) -> ObjectKey {
        if let translation = translations[key] { return translation }
        let number = number(key.entity)
        let root = roots[number] ?? number
        last[root, default: 0] += 1
        let fresh = ObjectKey(entity: number, primaryKey: last[root] ?? 0)
        translations[key] = fresh
        return fresh
    }

    package mutating func translated(_ group: ChangeGroup) -> ChangeGroup {
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

    package mutating func translated(_ group: LinkGroup) -> LinkGroup {
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
