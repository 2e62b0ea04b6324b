import FirnLog
import FirnModel
import FirnProjection

/// The rows and members of the tables as a change set would leave them, without writing it.
///
/// Keys are compared by root entity and number: one may name a superentity of its object's.
struct ChangedRows {
    private struct RowPlace {
        let group: Int
        let row: Int
    }

    /// The objects that come into a to-many relationship, and those that leave.
    private struct MemberChanges {
        /// By owner.
        var added: [ObjectKey: [ObjectKey]] = [:]
        var removed: [ObjectKey: Set<ObjectKey>] = [:]
        /// Members that have another owner now, or none.
        var moved: Set<ObjectKey> = []
    }

    private let reader: TableReader
    private let changes: ChangeSet
    private var places: [ObjectKey: RowPlace] = [:]
    private var deleted: Set<ObjectKey> = []
    private var isEmpty: Bool { changes.isEmpty }

    init(_ reader: TableReader, _ changes: ChangeSet) {
        self.reader = reader
        self.changes = changes
        for (index, group) in changes.groups.enumerated() where group.operation != .refresh {
            for (row, primaryKey) in group.primaryKeys.enumerated() {
                let key = reader.rootKey(ObjectKey(entity: group.entity, primaryKey: primaryKey))
                if group.operation == .delete {
                    deleted.insert(key)
                } else {
                    places[key] = RowPlace(group: index, row: row)
                }
            }
        }
    }

    /// The rows of these objects, each with the key that was asked for. One that has none is left out.
    func rows(_ keys: [ObjectKey]) throws -> [(key: ObjectKey, row: ChangedRow)] {
        let found = try reader.rows(keys)
        var stored: [ObjectKey: Snapshot] = [:]
        for index in 0..<found.count {
            let (batch, row) = found[index]
            stored[reader.rootKey(batch.key(at: row))] = Snapshot(batch: batch, row: row)
        }
        return keys.compactMap { key in
            let root = reader.rootKey(key)
            guard !deleted.contains(root) else { return nil }
            guard let place = places[root] else { return stored[root].map { (key, ChangedRow(stored: $0)) } }
            let group = changes.groups[place.group]
            // An update of a row that is gone is none.
            guard group.operation == .insert || stored[root] != nil else { return nil }
            return (key, ChangedRow(stored: stored[root], group: group, index: place.row))
        }
    }

    /// The members of a to-many relationship of objects of one root entity, each member once.
    func members(of owners: [ObjectKey], _ info: Slot) throws -> [ObjectKey] {
        var result: [ObjectKey] = []
        var seen: Set<ObjectKey> = []
        let changed = isEmpty ? MemberChanges() : memberChanges(info)
        for (owner, members) in zip(owners, try reader.members(of: owners, slot: info.index)) {
            let owner = reader.rootKey(owner)
            let removed = changed.removed[owner]
            for member in members {
                let key = reader.rootKey(member)
                if deleted.contains(key) || changed.moved.contains(key) || removed?.contains(key) == true { continue }
                if seen.insert(key).inserted { result.append(member) }
            }
            for member in changed.added[owner] ?? [] where !deleted.contains(reader.rootKey(member)) {
                if seen.insert(reader.rootKey(member)).inserted { result.append(member) }
            }
        }
        return result
    }

    private func memberChanges(_ info: Slot) -> MemberChanges {
        guard let toMany = info.toMany else { return MemberChanges() }
        if let inverse = toMany.toOneInverseSlot { return memberChanges(toMany.destination.layout, inverse) }
        let canonical =
            toMany.isCanonical ? info : toMany.inverseSlot.map { toMany.destination.layout.slots[$0] } ?? info
        let entity = reader.schema.number(of: canonical.declaringEntity)
        var result = MemberChanges()
        for group in changes.links where group.entity == entity && Int(group.slot) == canonical.index {
            func ends(_ link: Link) -> (owner: ObjectKey, member: ObjectKey) {
                toMany.isCanonical ? (link.source, link.destination) : (link.destination, link.source)
            }
            for link in group.removed {
                let (owner, member) = ends(link)
                result.removed[reader.rootKey(owner), default: []].insert(reader.rootKey(member))
            }
            for link in group.added {
                let (owner, member) = ends(link)
                result.added[reader.rootKey(owner), default: []].append(member)
            }
        }
        return result
    }

    /// Members are told by their own to-one.
    private func memberChanges(_ destination: EntityLayout, _ inverse: Int) -> MemberChanges {
        var result = MemberChanges()
        for group in changes.groups where group.operation == .insert || group.operation == .update {
            guard let layout = reader.schema.entity(group.entity)?.layout, layout.isKind(of: destination),
                let column = group.slots.firstIndex(of: UInt16(inverse))
            else { continue }
            for (row, primaryKey) in group.primaryKeys.enumerated() {
                let member = ObjectKey(entity: group.entity, primaryKey: primaryKey)
                if group.operation == .update { result.moved.insert(reader.rootKey(member)) }
                if case .reference(let owner) = group.new[column][row] {
                    result.added[reader.rootKey(owner), default: []].append(member)
                }
            }
        }
        return result
    }
}

/// A row as a change set would leave it.
struct ChangedRow {
    /// As it is in the tables; nil for a new one.
    private let stored: Snapshot?
    private let group: ChangeGroup?
    private let index: Int
    let key: ObjectKey

    init(stored: Snapshot) {
        (self.stored, group, index) = (stored, nil, 0)
        key = stored.key
    }

    init(stored: Snapshot?, group: ChangeGroup, index: Int) {
        (self.stored, self.group, self.index) = (stored, group, index)
        key = ObjectKey(entity: group.entity, primaryKey: group.primaryKeys[index])
    }

    func value(_ slot: Int) -> PropertyValue {
        if let group, let column = group.slots.firstIndex(of: UInt16(slot)) { return group.new[column][index] }
        return stored?.value(slot) ?? .null
    }
}

extension TableReader {
    /// The key that tells an object from every other, whichever of its entities a key names.
    func rootKey(_ key: ObjectKey) -> ObjectKey { ObjectKey(entity: root(key.entity), primaryKey: key.primaryKey) }
}
