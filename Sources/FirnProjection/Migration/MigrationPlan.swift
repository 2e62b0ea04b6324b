package import FirnLog
package import FirnModel

/// Turns a matching of two models into what the log records of a migration: entities, slots and keys by number.
package struct MigrationPlan {
    private let old: StoreSchema
    private let new: StoreSchema
    private let matching: ModelMatching
    private let defaultValue: (Slot) throws -> PropertyValue

    /// `new` must have been numbered after `old` with the same matching. `defaultValue` returns the stored form of an
    /// attribute's default, which may need a transformer that only the caller has.
    package init(
        from old: StoreSchema, to new: StoreSchema, matching: ModelMatching,
        defaultValue: @escaping (Slot) throws -> PropertyValue
    ) {
        self.defaultValue = defaultValue
        self.old = old
        self.new = new
        self.matching = matching
    }

    /// - Parameters: - source: the record of the old model. - highest: the highest entity number that was assigned
    ///   before. - lastKeys: the last primary key that was assigned in each old root entity.
    package func migration(
        source: SequenceNumber, highest: EntityNumber, lastKeys: [EntityNumber: Int64]
    ) throws -> LogMigration {
        let offsets = try KeyOffsets(old.layout, new.layout, lastKeys: lastKeys)
        let entities = try new.entities.compactMap { entity -> EntityMigration? in
            guard !entity.isAbstract, let before = matching.source(of: entity), old.contains(before) else {
                return nil
            }
            let number = new.number(of: entity)
            return EntityMigration(
                entity: number, keyOffset: offsets[number],
                properties: try properties(of: entity, from: before))
        }
        let last = new.logModel.entities.map(\.number).max() ?? highest
        return LogMigration(source: source, highestNumber: max(highest, last), entities: entities)
    }

    private func properties(
        of entity: NSEntityDescription, from before: NSEntityDescription
    ) throws -> [PropertyMigration] {
        let leaves = leafNames(of: entity)
        return try entity.layout.slots.compactMap { slot -> PropertyMigration? in
            if slot.isTransient { return nil }
            switch slot.kind {
            case .attribute: return try attribute(slot, of: entity, from: before, leaves)
            case .toOne, .toMany:
                let source = relationshipSource(slot, of: entity, from: before)
                if case .none = source { return nil }
                return PropertyMigration(slot: UInt16(slot.index), source: source)
            case .position(let toOne):
                let toOne = entity.layout.slots[toOne]
                guard let source = matching.source(of: toOne.property, in: entity),
                    let index = before.layout.slot(named: source.name),
                    case .toOne(let info) = before.layout.slots[index].kind,
                    let position = info.positionSlot
                else { return nil }
                return PropertyMigration(slot: UInt16(slot.index), source: .slot(UInt16(position)))
            case .composite, .fetched: return nil
            }
        }
    }

    private func attribute(
        _ slot: Slot, of entity: NSEntityDescription, from before: NSEntityDescription,
        _ leaves: [String: String]
    ) throws -> PropertyMigration? {
        let oldName = leaves[slot.name] ?? matching.source(of: slot.property, in: entity)?.name
        if slot.name.contains("."), leaves[slot.name] == nil { return try added(slot) }
        guard let oldName, let index = before.layout.slot(named: oldName),
            before.layout.slots[index].isStored,
            let type = before.layout.slots[index].attributeType, let wanted = slot.attributeType,
            type.canBecome(wanted)
        else { return try added(slot) }
        return PropertyMigration(
            slot: UInt16(slot.index), source: .slot(UInt16(index)),
            fallback: slot.isOptional ? .null : try defaultValue(slot))
    }

    /// Existing objects get the default of a new attribute, as new objects do.
    private func added(_ slot: Slot) throws -> PropertyMigration? {
        let value = try defaultValue(slot)
        if value.isNull || slot.isDerived { return nil }
        return PropertyMigration(slot: UInt16(slot.index), source: .none, fallback: value)
    }

    private func relationshipSource(
        _ slot: Slot, of entity: NSEntityDescription, from before: NSEntityDescription
    ) -> PropertyMigration.Source {
        if let source = matching.source(of: slot.property, in: entity) as? NSRelationshipDescription,
            !source.isTransient, let index = before.layout.slot(named: source.name)
        {
            return .slot(UInt16(index))
        }
        guard let relationship = slot.property as? NSRelationshipDescription,
            let inverse = relationship.inverseRelationship, let told = oldRelationship(inverse),
            let index = told.entity.layout.slot(named: told.name), old.contains(told.entity)
        else { return .none }
        return .inverse(entity: old.number(of: told.entity), slot: UInt16(index))
    }

    /// The old relationship behind a new one, at the entity that declares it or, if that is new, below.
    private func oldRelationship(_ relationship: NSRelationshipDescription) -> NSRelationshipDescription? {
        for entity in relationship.entity.selfAndDescendants {
            if let source = matching.source(of: relationship, in: entity) as? NSRelationshipDescription,
                !source.isTransient
            {
                return source
            }
        }
        return nil
    }

    /// Old names of the leaves of composites, `composite.leaf`, by new name.
    private func leafNames(of entity: NSEntityDescription) -> [String: String] {
        var names: [String: String] = [:]
        for property in entity.properties {
            guard let composite = property as? NSCompositeAttributeDescription,
                let before = matching.source(of: composite, in: entity) as? NSCompositeAttributeDescription
            else { continue }
            for (new, old) in matching.leaves(of: composite, from: before) {
                names[composite.name + "." + new] = before.name + "." + old
            }
        }
        return names
    }
}
