import FirnStore
import FirnRuntime
import FirnLog
import FirnModel
import FirnProjection

/// Collects what objects gained and lost in relationships that are kept in link tables.
///
/// Both sides of a many-to-many relationship know of a change; it is told once, from the canonical side.
struct LinkCollector {
    private struct LinkTable: Hashable {
        let entity: ObjectIdentifier
        let slot: Int
    }

    private struct LinkEnds: Hashable {
        let source: ObjectReference
        let destination: ObjectReference

        /// No store can have the link yet.
        var isNew: Bool { source.object.state.contains(.inserted) || destination.object.state.contains(.inserted) }
    }

    private struct LinkChange {
        var isAddition: Bool
        /// The member gets a new place in the source's list, or in the destination's.
        var movesInSource = false
        var movesInDestination = false
    }

    private struct LinkChanges {
        let property: Slot
        var pairs: [LinkEnds] = []
        var changes: [LinkEnds: LinkChange] = [:]
    }

    private var order: [LinkTable] = []
    private var changes: [LinkTable: LinkChanges] = [:]

    /// Changed memberships of an inserted or updated object.
    mutating func collect(_ object: NSManagedObject) {
        guard !object.values.isEmpty else { return }
        for info in object.layout.linkSlots {
            guard case .toMany(let members) = object.values[info.index], members.isChanged else { continue }
            if members.isReordered { _ = object.memberObjects(info.index) }
            if members.isOrdered, let order = members.loaded, let base = members.base,
                !Self.isAppendedOrRemoved(from: base, to: order)
            {
                for member in base where !order.contains(member) {
                    record(object, member.object, info, isAddition: false)
                }
                for member in order { record(object, member.object, info, isAddition: true) }
                continue
            }
            for member in members.removed { record(object, member.object, info, isAddition: false) }
            for member in members.added { record(object, member.object, info, isAddition: true) }
        }
    }

    /// All memberships of a deleted object go.
    mutating func collectDeletion(_ object: NSManagedObject) {
        for info in object.layout.linkSlots {
            let members = object.members(info.index)
            _ = members.members { object.storedMembers(info.index) }
            for member in members.base ?? [] { record(object, member.object, info, isAddition: false) }
        }
    }

    private static func isAppendedOrRemoved(
        from base: MemberList<ObjectReference>, to order: MemberList<ObjectReference>
    ) -> Bool {
        order.starts(with: base.filter(order.contains))
    }

    private mutating func record(
        _ object: NSManagedObject, _ member: NSManagedObject, _ info: Slot, isAddition: Bool
    ) {
        recordOneWay(object, member, info, isAddition: isAddition)
        // Of a relationship that is its own inverse each side is a link of its own.
        if info.inverseSlot == info.index, info.relationship?.inverseRelationship === info.relationship {
            recordOneWay(member, object, info, isAddition: isAddition)
        }
    }

    private mutating func recordOneWay(
        _ object: NSManagedObject, _ member: NSManagedObject, _ info: Slot, isAddition: Bool
    ) {
        guard let toMany = info.toMany else { return }
        let pair: LinkEnds
        let canonical: Slot
        if toMany.isCanonical {
            pair = LinkEnds(source: ObjectReference(object), destination: ObjectReference(member))
            canonical = info
        } else {
            guard let inverse = info.inverseSlot else { return }
            pair = LinkEnds(source: ObjectReference(member), destination: ObjectReference(object))
            canonical = member.layout.slots[inverse]
        }
        let table = LinkTable(entity: ObjectIdentifier(canonical.declaringEntity), slot: canonical.index)
        if changes[table] == nil {
            order.append(table)
            changes[table] = LinkChanges(property: canonical)
        }
        var change = changes[table]?.changes[pair] ?? LinkChange(isAddition: isAddition)
        if changes[table]?.changes[pair] == nil { changes[table]?.pairs.append(pair) }
        if isAddition, toMany.isCanonical { change.movesInSource = true }
        if isAddition, !toMany.isCanonical { change.movesInDestination = true }
        changes[table]?.changes[pair] = change
    }

    /// The links as a change set tells them. `stored` gives a link as the store has it: another save may have made or
    /// ended it already, and a member that moves in one of its two lists keeps its place in the other.
    ///
    /// `positionBase` is greater than every position given by earlier saves, so that new members come last.
    func groups(
        _ schema: StoreSchema, positionBase: Int64, stored: (LinkGroup, Link) throws -> Link?
    ) rethrows -> [LinkGroup] {
        try order.compactMap { table -> LinkGroup? in
            guard let changes = changes[table] else { return nil }
            let slot = changes.property.index
            var group = LinkGroup(
                entity: schema.number(of: changes.property.declaringEntity), slot: UInt16(slot), removed: [], added: [])
            for pair in changes.pairs {
                guard let change = changes.changes[pair] else { continue }
                var link = Link(source: pair.source.object.key, destination: pair.destination.object.key)
                let known = pair.isNew ? nil : try stored(group, link)
                guard change.isAddition else {
                    if let known { group.removed.append(known) }
                    continue
                }
                link.sourceOrder =
                    known.flatMap { change.movesInSource ? nil : $0.sourceOrder }
                    ?? Self.position(pair.destination, in: pair.source.object, slot, positionBase)
                link.destinationOrder =
                    known.flatMap { change.movesInDestination ? nil : $0.destinationOrder }
                    ?? changes.property.inverseSlot.map {
                        Self.position(pair.source, in: pair.destination.object, $0, positionBase)
                    } ?? 0
                if let known {
                    if known == link { continue }
                    group.removed.append(known)
                }
                group.added.append(link)
            }
            return group.removed.isEmpty && group.added.isEmpty ? nil : group
        }
    }

    private static func position(
        _ member: ObjectReference, in owner: NSManagedObject, _ slot: Int, _ base: Int64
    ) -> Int64 {
        guard !owner.values.isEmpty, case .toMany(let members) = owner.values[slot], members.isOrdered
        else { return 0 }
        return base + Int64((members.loaded ?? members.added).place(of: member) ?? 0)
    }
}
