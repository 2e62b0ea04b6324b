package import FirnLog
package import FirnModel
package import FirnProjection

/// The links of relationships that have no to-one side, each once, whichever side tells it.
package struct LinkSets {
    /// The links of one table in the order in which they came, so that the same objects give the same groups.
    private struct LinkSet {
        let property: PropertyPlace
        var links: [Link] = []
        var places: [Link: Int] = [:]
    }

    private let schema: StoreSchema
    private var sets: [LinkSet] = []
    private var indexes: [PropertyPlace: Int] = [:]

    package init(_ schema: StoreSchema) { self.schema = schema }

    /// Adds the link of an owner with a member, and its position if the owner's relationship is ordered.
    package mutating func add(_ owner: ObjectKey, _ member: ObjectKey, _ info: Slot, position: Int64 = 0) {
        guard let toMany = info.toMany else { return }
        var (canonical, link) = (info, Link(source: owner, destination: member))
        if !toMany.isCanonical {
            guard let inverse = toMany.inverseSlot, let layout = schema.entity(member.entity)?.layout else { return }
            (canonical, link) = (layout.slots[inverse], Link(source: member, destination: owner))
        }
        let property = PropertyPlace(entity: schema.number(of: canonical.declaringEntity), slot: canonical.index)
        let set = indexes[property] ?? sets.count
        if set == sets.count {
            indexes[property] = set
            sets.append(LinkSet(property: property))
        }
        let place = sets[set].places[link] ?? sets[set].links.count
        if place == sets[set].links.count {
            sets[set].places[link] = place
            sets[set].links.append(link)
        }
        if toMany.isOrdered, toMany.isCanonical { sets[set].links[place].sourceOrder = position }
        if toMany.isOrdered, !toMany.isCanonical { sets[set].links[place].destinationOrder = position }
    }

    /// A group for each table, with its links as those that were added, or removed.
    package func groups(_ list: WritableKeyPath<LinkGroup, [Link]>) -> [LinkGroup] {
        sets.map { set in
            var group = LinkGroup(entity: set.property.entity, slot: UInt16(set.property.slot))
            group[keyPath: list] = set.links
            return group
        }
    }
}
