/// A way from an older model to a newer one.
package struct MigrationSteps: Sendable {
    let steps: [(migration: LogMigration, model: LogModel)]

    package init(steps: [(migration: LogMigration, model: LogModel)] = []) { self.steps = steps }

    /// Whether the terms of both models are the same.
    package var isEmpty: Bool { steps.isEmpty }

    /// A change set without what is of entities and relationships that are gone. The model that it names stays.
    package func upcast(_ changes: ChangeSet) -> ChangeSet {
        if isEmpty { return changes }
        var result = changes
        result.groups = changes.groups.compactMap { upcast($0) }
        result.links = changes.links.compactMap { upcast($0) }
        return result
    }

    /// Nil if the entity is gone.
    func upcast(_ group: ChangeGroup) -> ChangeGroup? {
        var group = group
        for step in steps {
            guard let next = step.migration.upcast(group, to: step.model) else { return nil }
            group = next
        }
        return group
    }

    /// The number that was added to the primary keys of an entity on the way.
    package func keyOffset(of entity: EntityNumber) -> Int64 {
        steps.reduce(0) { $0 + ($1.migration.entity(entity)?.keyOffset ?? 0) }
    }

    /// The slot of a property at the end of the way; nil if it is gone.
    package func slot(_ slot: UInt16, of entity: EntityNumber) -> UInt16? {
        var slot = slot
        for step in steps {
            let moved = step.migration.entity(entity)?.properties.first { $0.source == .slot(slot) }
            guard let moved else { return nil }
            slot = moved.slot
        }
        return slot
    }

    /// A model of the beginning of the way with the names of the one at its end. What is gone keeps its name; if
    /// another property of the entity has that by now, it is marked.
    package func renamed(_ model: LogModel, as later: LogModel) -> LogModel {
        if isEmpty { return model }
        var result = model
        for (index, entity) in model.entities.enumerated() {
            guard let now = later.entity(entity.number) else { continue }
            result.entities[index].name = now.name
            let moved = entity.properties.indices.map { slot(UInt16($0), of: entity.number) }
            let names = Set(moved.compactMap { $0.map { now.properties[Int($0)].name } })
            for (slot, property) in entity.properties.enumerated() {
                let name = moved[slot].map { now.properties[Int($0)].name }
                let own = names.contains(property.name) ? property.name + " (removed)" : property.name
                result.entities[index].properties[slot].name = name ?? own
            }
        }
        return result
    }

    /// The slot at the beginning of the way that the value of a slot at its end comes from; nil if there was none.
    package func source(of slot: UInt16, of entity: EntityNumber) -> UInt16? {
        var slot = slot
        for step in steps.reversed() {
            let property = step.migration.entity(entity)?.properties.first { $0.slot == slot }
            guard case .slot(let old)? = property?.source else { return nil }
            slot = old
        }
        return slot
    }

    /// Nil if the relationship is gone.
    func upcast(_ group: LinkGroup) -> LinkGroup? {
        var group = group
        for (migration, _) in steps {
            guard let moved = migration.entity(group.entity),
                let slot = moved.properties.first(where: { $0.source == .slot(group.slot) })?.slot
            else { return nil }
            group.slot = slot
            func links(_ links: [Link]) -> [Link] {
                links.compactMap { link in
                    guard let source = migration.upcast(link.source),
                        let destination = migration.upcast(link.destination)
                    else { return nil }
                    var link = link
                    (link.source, link.destination) = (source, destination)
                    return link
                }
            }
            group.added = links(group.added)
            group.removed = links(group.removed)
        }
        return group
    }
}
