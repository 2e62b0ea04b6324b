internal import FirnLog

/// Reads change sets that were written in terms of an older model.
///
/// Entities keep their number for the life of a store. Properties are found by name, or by the old name that the
/// newer model gives for a renamed one. What the newer model no longer has, or keeps in another storage, is left
/// out.
struct ModelUpcast {
    private struct Entity {
        /// By old slot; nil for what is left out.
        var slots: [UInt16?]
    }

    private var entities: [EntityNumber: Entity] = [:]
    private let layout: TableLayout

    /// `renamed` tells the newer name of a property, by entity and old name.
    init(from old: LogModel, to new: TableLayout, renamed: [EntityNumber: [String: String]] = [:]) {
        layout = new
        for entity in old.entities {
            guard let place = new.place(entity.number) else { continue }
            let slots = entity.properties.map { property -> UInt16? in
                let name = renamed[entity.number]?[property.name] ?? property.name
                guard let slot = place.slot(named: name), Self.fits(property, place.slots[slot])
                else { return nil }
                return UInt16(slot)
            }
            entities[entity.number] = Entity(slots: slots)
        }
    }

    private static func fits(_ old: LogProperty, _ new: SlotPlace) -> Bool {
        switch (old.kind, new.kind) {
        case (.toMany(_, let oldInverse, _, _), .toMany(_, let newInverse, _, _)):
            (oldInverse == nil) == (newInverse == nil)
        default: old.storage == new.storage && old.storage != .none
        }
    }

    /// Nil when the newer model does not have the entity.
    func upcast(_ group: ChangeGroup) -> ChangeGroup? {
        guard let entity = entities[group.entity] else { return nil }
        var result = group
        result.slots = []
        result.new = []
        result.old = []
        for (index, slot) in group.slots.enumerated() {
            guard Int(slot) < entity.slots.count, let newer = entity.slots[Int(slot)] else { continue }
            result.slots.append(newer)
            if index < group.new.count { result.new.append(group.new[index]) }
            if index < group.old.count { result.old.append(group.old[index]) }
        }
        return result
    }

    /// Nil when the newer model does not have the relationship, or tells its members otherwise.
    func upcast(_ group: LinkGroup) -> LinkGroup? {
        guard let entity = entities[group.entity], Int(group.slot) < entity.slots.count,
            let slot = entity.slots[Int(group.slot)]
        else { return nil }
        var result = group
        result.slot = slot
        guard let link = layout.known(group.entity).slots[Int(slot)].link else { return nil }
        if !link.isCanonical {
            // Renaming made the other side the canonical one.
            let property = layout.links[link.table].property
            result.entity = property.entity
            result.slot = UInt16(property.slot)
            result.removed = group.removed.map(\.reversed)
            result.added = group.added.map(\.reversed)
        }
        return result
    }
}

extension Link {
    /// The same membership seen from the other side.
    var reversed: Link {
        Link(
            source: destination, destination: source, sourceOrder: destinationOrder,
            destinationOrder: sourceOrder)
    }
}
