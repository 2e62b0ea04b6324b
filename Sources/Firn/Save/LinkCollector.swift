import OrderedCollections
import FirnLog
import FirnModel
import FirnProjection

/// Collects what objects gained and lost in relationships that are kept in link tables.
///
/// Both sides of a many-to-many relationship know of a change; it is told once, from the canonical side.
struct LinkCollector {
    private struct Table: Hashable {
        let entity: ObjectIdentifier
        let slot: Int
    }

    private struct Pair: Hashable {
        let source: ObjectReference
        let destination: ObjectReference
    }

    private struct Changes {
        let property: Slot
        var removed: [Pair] = []
        var added: [Pair] = []
        var removedSet: Set<Pair> = []
        var addedSet: Set<Pair> = []
    }

    private var order: [Table] = []
    private var changes: [Table: Changes] = [:]

    /// Changed memberships of an inserted or updated object.
    mutating func collect(_ object: NSManagedObject) {
        guard !object.values.isEmpty else { return }
        for info in object.layout.linkSlots {
            guard case .toMany(let members) = object.values[info.index], members.isChanged else { continue }
            if members.isOrdered, let order = members.loaded, let base = members.base,
                !Self.isAppendedOrRemoved(from: base, to: order)
            {
                for member in base { note(object, member.object, info, isAddition: false) }
                for member in order { note(object, member.object, info, isAddition: true) }
                continue
            }
            for member in members.removed { note(object, member.object, info, isAddition: false) }
            for member in members.added { note(object, member.object, info, isAddition: true) }
        }
    }

    /// All memberships of a deleted object go.
    mutating func collectDeletion(_ object: NSManagedObject) {
        for info in object.layout.linkSlots {
            let members = object.members(info.index)
            _ = members.members { object.storedMembers(info.index) }
            for member in members.base ?? [] { note(object, member.object, info, isAddition: false) }
        }
    }

    private static func isAppendedOrRemoved(
        from base: some Collection<ObjectReference>, to order: some Collection<ObjectReference>
    ) -> Bool {
        let kept = Set(order)
        return order.starts(with: base.filter { kept.contains($0) })
    }

    private mutating func note(
        _ object: NSManagedObject, _ member: NSManagedObject, _ info: Slot, isAddition: Bool
    ) {
        guard let toMany = info.toMany else { return }
        let pair: Pair
        let canonical: Slot
        if toMany.isCanonical {
            pair = Pair(source: ObjectReference(object), destination: ObjectReference(member))
            canonical = info
        } else {
            guard let inverse = info.inverseSlot else { return }
            pair = Pair(source: ObjectReference(member), destination: ObjectReference(object))
            canonical = member.layout.slots[inverse]
        }
        let table = Table(entity: ObjectIdentifier(canonical.declaringEntity), slot: canonical.index)
        if changes[table] == nil {
            order.append(table)
            changes[table] = Changes(property: canonical)
        }
        if isAddition {
            if changes[table]!.addedSet.insert(pair).inserted { changes[table]!.added.append(pair) }
        } else {
            if changes[table]!.removedSet.insert(pair).inserted { changes[table]!.removed.append(pair) }
        }
    }

    /// `positionBase` is greater than every position given by earlier saves, so that new members come last.
    func groups(_ schema: StoreSchema, positionBase: Int64) -> [LinkGroup] {
        order.compactMap { table -> LinkGroup? in
            guard let change = changes[table] else { return nil }
            let slot = change.property.index
            let inverse = change.property.inverseSlot
            return LinkGroup(
                entity: schema.number(of: change.property.declaringEntity), slot: UInt16(slot),
                removed: change.removed.map {
                    Link(source: $0.source.object.key, destination: $0.destination.object.key)
                },
                added: change.added.map { pair in
                    Link(
                        source: pair.source.object.key, destination: pair.destination.object.key,
                        sourceOrder: Self.position(pair.destination, in: pair.source.object, slot, positionBase),
                        destinationOrder: inverse.map {
                            Self.position(pair.source, in: pair.destination.object, $0, positionBase)
                        } ?? 0)
                })
        }
    }

    private static func position(
        _ member: ObjectReference, in owner: NSManagedObject, _ slot: Int, _ base: Int64
    ) -> Int64 {
        guard !owner.values.isEmpty, case .toMany(let members) = owner.values[slot], members.isOrdered
        else { return 0 }
        return base + Int64((members.loaded ?? members.added).firstIndex(of: member) ?? 0)
    }
}
