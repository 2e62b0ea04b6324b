/// Change sets folded into one: what each object was before the first and is after the last.
struct NetChanges {
    fileprivate struct Object {
        var isInserted = false
        var isDeleted = false
        /// By slot: before the first change, after the last.
        var values: [UInt16: (old: PropertyValue, new: PropertyValue)] = [:]
    }

    private struct Relationship: Hashable {
        var entity: EntityNumber
        var slot: UInt16
    }

    private var objects: [ObjectKey: Object] = [:]
    /// Members by relationship: how often one came more than it went.
    private var links: [Relationship: [Link: Int]] = [:]

    mutating func apply(_ group: ChangeGroup) {
        if group.operation == .refresh { return }
        for (row, key) in group.primaryKeys.enumerated() {
            var object = objects[ObjectKey(entity: group.entity, primaryKey: key)] ?? Object()
            switch group.operation {
            case .insert: object.isInserted = true
            case .delete: object.isDeleted = true
            case .update, .refresh: break
            }
            for (index, slot) in group.slots.enumerated() {
                let new = index < group.new.count ? group.new[index] : nil
                let old = index < group.old.count ? group.old[index] : nil
                // A touched relationship has no value: its members are in links or other columns.
                guard (new ?? old)?.type != StorageType.none else { continue }
                let value = new?[row] ?? .null
                if object.values[slot] != nil {
                    object.values[slot]?.new = value
                } else {
                    object.values[slot] = (old?[row] ?? .null, value)
                }
            }
            objects[ObjectKey(entity: group.entity, primaryKey: key)] = object
        }
    }

    mutating func apply(_ group: LinkGroup) {
        let relationship = Relationship(entity: group.entity, slot: group.slot)
        for link in group.removed { links[relationship, default: [:]][link, default: 0] -= 1 }
        for link in group.added { links[relationship, default: [:]][link, default: 0] += 1 }
    }

    /// One group an object that is not as it was.
    func changes(_ sequence: SequenceNumber, _ model: LogModel) -> ChangeSet {
        let entities = Dictionary(model.entities.map { ($0.number, $0) }) { first, _ in first }
        var result = ChangeSet(model: sequence)
        for (key, object) in objects.sorted(by: { $0.key < $1.key }) {
            guard let entity = entities[key.entity], let group = object.group(key, entity) else { continue }
            result.groups.append(group)
        }
        let relationships = links.sorted { ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot) }
        for (relationship, counts) in relationships {
            let sorted = counts.sorted { ($0.key.source, $0.key.destination) < ($1.key.source, $1.key.destination) }
            let group = LinkGroup(
                entity: relationship.entity, slot: relationship.slot,
                removed: sorted.filter { $0.value < 0 }.map(\.key), added: sorted.filter { $0.value > 0 }.map(\.key))
            if !group.removed.isEmpty || !group.added.isEmpty { result.links.append(group) }
        }
        return result
    }
}

extension NetChanges.Object {
    /// Nil if the object is as it was.
    fileprivate func group(_ key: ObjectKey, _ entity: LogEntity) -> ChangeGroup? {
        let operation: ChangeGroup.Operation
        switch (isInserted, isDeleted) {
        case (true, true): return nil
        case (true, false): operation = .insert
        case (false, true): operation = .delete
        case (false, false): operation = .update
        }
        var group = ChangeGroup(entity: key.entity, operation: operation, primaryKeys: [key.primaryKey])
        for (slot, value) in values.sorted(by: { $0.key < $1.key }) {
            guard Int(slot) < entity.properties.count else { continue }
            let isIncluded =
                switch operation {
                case .insert: !value.new.isNull
                case .delete: !value.old.isNull
                case .update, .refresh: value.new != value.old
                }
            if !isIncluded { continue }
            group.slots.append(slot)
            let storage = entity.properties[Int(slot)].storage
            if operation != .delete { group.new.append(Column(storage, value.new)) }
            if operation != .insert { group.old.append(Column(storage, value.old)) }
        }
        return operation == .update && group.slots.isEmpty ? nil : group
    }
}

extension Column {
    /// A column of one value.
    package init(_ type: StorageType, _ value: PropertyValue) {
        self.init(type)
        append(value)
    }
}

/// The changes between two records, as one net change an object, whatever happened in between.
///
///     record    11: + Person/3    12: ~ Person/3 name    13: ~ Person/1 name A → B    14: ~ Person/1 name B → A
///     10 … 14   + Person/3 with the newer name; Person/1 is as it was, so the difference lacks it
public struct LogDifference: Hashable, Sendable {
    /// One group an object, by entity and key, then the members that came and went; in the terms of the model that
    /// was current after the later record.
    public var changes: ChangeSet
    public var model: LogModel
    /// Migrations in between that rewrote rows. The difference does not contain the values that they changed.
    public var rewrites: [SequenceNumber]

    /// The difference from the later record to the earlier: inserts are deletes, and old and new values are exchanged.
    public var reversed: LogDifference {
        var result = self
        for index in result.changes.groups.indices {
            let group = changes.groups[index]
            result.changes.groups[index].new = group.old
            result.changes.groups[index].old = group.new
            switch group.operation {
            case .insert: result.changes.groups[index].operation = .delete
            case .delete: result.changes.groups[index].operation = .insert
            case .update, .refresh: break
            }
        }
        for index in result.changes.links.indices {
            result.changes.links[index].added = changes.links[index].removed
            result.changes.links[index].removed = changes.links[index].added
        }
        return result
    }
}
