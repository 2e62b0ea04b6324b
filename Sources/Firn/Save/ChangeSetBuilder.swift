import FirnRuntime
import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Turns the changes of objects into the columns of a change set.
///
/// Objects are grouped as `ChangeGroup` says. The objects of each group are remembered in the order of its rows,
/// so that they can take their new snapshots from the very columns that were written. The save holds them.
///
/// Objects of one group that come one after the other are taken in blocks: a column at a time, while
/// the objects are near.
struct ChangeSetBuilder {
    private(set) var groups: [ChangeGroup] = []
    private(set) var objects: [[UncountedReference<NSManagedObject>]] = []
    /// The group whose last objects have their values still to be taken, and the first of those.
    private var block = (group: -1, start: 0)
    private var links = LinkCollector()
    private let schema: StoreSchema
    /// Of each group, what is in it.
    private var keys: [GroupKey] = []
    /// Where groups are found, once there are many.
    private var groupIndexes: [GroupKey: Int] = [:]
    /// The groups of the last insert, delete and update: the next one is mostly of the same.
    private var lastInserted = (entity: EntityNumber(0), group: -1)
    private var lastDeleted = (entity: EntityNumber(0), group: -1)
    private var lastUpdated = (entity: EntityNumber(0), slots: SlotSet(), group: -1)

    /// About how many objects of the first one's entity are new.
    private var expectedCount = 0

    /// Fewer are found sooner one after the other than by hashing.
    private static let hashedCountMin = 8

    private struct GroupKey: Hashable {
        let entity: EntityNumber
        let operation: ChangeGroup.Operation
        /// Of an update; the other operations have one group an entity.
        var slots = SlotSet()
    }

    init(schema: StoreSchema) { self.schema = schema }

    /// Makes room for new objects, to be called before the first of them comes.
    mutating func expect(_ inserted: [NSManagedObject]) {
        // Of one entity, as nearly always.
        if let first = inserted.first, first.layout === inserted.last?.layout { expectedCount = inserted.count }
    }

    /// A new object, with its permanent key already in place.
    mutating func insert(_ object: NSManagedObject) throws {
        if object.key.entity != lastInserted.entity || lastInserted.group < 0 {
            lastInserted = (object.key.entity, group(object, .insert, slots: object.layout.storedSlots))
        }
        try add(object, lastInserted.group)
        if !object.layout.linkSlots.isEmpty { links.collect(object) }
    }

    /// A changed object. `slots` are those of its changed ones that the store keeps; to-many slots count as touched.
    mutating func update(_ object: NSManagedObject, slots: SlotSet) throws {
        if object.key.entity != lastUpdated.entity || slots != lastUpdated.slots || lastUpdated.group < 0 {
            let key = GroupKey(entity: object.key.entity, operation: .update, slots: slots)
            let index: Int
            if let known = self.index(of: key) {
                index = known
            } else {
                index = newGroup(object, key, slots: slots.slots)
                groups[index].old = groups[index].new
            }
            lastUpdated = (object.key.entity, slots, index)
        }
        try add(object, lastUpdated.group)
        if !object.layout.linkSlots.isEmpty { links.collect(object) }
    }

    /// As many objects have their values near enough to be read in any order.
    private static let blockSize = 32

    private mutating func add(_ object: NSManagedObject, _ index: Int) throws {
        if index != block.group {
            try appendValues()
            block = (index, objects[index].count)
        }
        finish(object, index)
        if objects[index].count - block.start == Self.blockSize { try appendValues() }
    }

    /// Takes the values of the objects that came last. To be called after the last of them, before the groups are used.
    mutating func appendValues() throws {
        let index = block.group
        if index < 0 { return }
        let taken = objects[index][block.start...]
        block.start = objects[index].count
        guard let layout = taken.first?.with({ $0.layout }) else { return }
        try taken.withUnsafeBufferPointer { block in
            let operation = groups[index].operation
            for (column, slot) in groups[index].slots.enumerated() {
                if operation != .insert { groups[index].old[column].appendSaved(of: block, Int(slot)) }
                if operation == .delete { continue }
                try Self.append(block, Int(slot), layout.slots[Int(slot)].storage, to: &groups[index].new[column])
            }
        }
    }

    private static func append(
        _ block: UnsafeBufferPointer<UncountedReference<NSManagedObject>>, _ slot: Int, _ storage: StorageType,
        to column: inout Column
    ) throws {
        var row = 0
        while row < block.count {
            switch storage {
            case .integer:
                row += column.appendIntegers(block.count - row) { next in
                    block[row + next].with { $0.values.integer(slot) }
                }
            case .real:
                row += column.appendReals(block.count - row) { next in
                    block[row + next].with { $0.values.real(slot) }
                }
            default: break
            }
            if row == block.count { return }
            if storage == .none {
                column.appendTouched()
            } else {
                try block[row].with { try append($0, slot, to: &column) }
            }
            row += 1
        }
    }

    /// A deleted object: its whole last row goes into the log.
    mutating func delete(_ object: NSManagedObject, last: Snapshot) throws {
        if object.key.entity != lastDeleted.entity || lastDeleted.group < 0 {
            lastDeleted = (object.key.entity, group(object, .delete, slots: object.layout.storedSlots))
        }
        let index = lastDeleted.group
        if let known = object.snapshot, known.batch === last.batch, known.row == last.row {
            try add(object, index)
        } else {
            try appendValues()
            for (column, slot) in groups[index].slots.enumerated() {
                groups[index].old[column].append(last.value(Int(slot)))
            }
            finish(object, index)
            block.group = -1
        }
        links.collectDeletion(object)
    }

    mutating func refresh(_ object: NSManagedObject) {
        let index = group(object, .refresh, slots: [])
        finish(object, index)
    }

    /// The finished change set. Columns that are null in every row of an insert or delete are left out.
    /// `stored` gives a link as the store has it.
    func changeSet(
        model: SequenceNumber, positionBase: Int64, stored: (LinkGroup, Link) throws -> Link?
    ) rethrows -> ChangeSet {
        try ChangeSet(
            model: model,
            groups: groups.map { $0.withoutNullColumns },
            links: links.groups(schema, positionBase: positionBase, stored: stored))
    }

    private mutating func finish(_ object: NSManagedObject, _ index: Int) {
        groups[index].primaryKeys.append(object.key.primaryKey)
        objects[index].append(UncountedReference(object))
    }

    private mutating func group(
        _ object: NSManagedObject, _ operation: ChangeGroup.Operation, slots: [Int]
    ) -> Int {
        let key = GroupKey(entity: object.key.entity, operation: operation)
        return index(of: key) ?? newGroup(object, key, slots: slots)
    }

    private func index(of key: GroupKey) -> Int? {
        keys.count < Self.hashedCountMin ? keys.firstIndex(of: key) : groupIndexes[key]
    }

    private mutating func newGroup(_ object: NSManagedObject, _ key: GroupKey, slots: [Int]) -> Int {
        let operation = key.operation
        keys.append(key)
        if keys.count == Self.hashedCountMin {
            for (index, key) in keys.enumerated() { groupIndexes[key] = index }
        } else if keys.count > Self.hashedCountMin {
            groupIndexes[key] = keys.count - 1
        }
        let room = operation == .insert ? expectedCount : 0
        expectedCount = 0
        let columns = slots.map { slot in
            var column = Column(object.layout.slots[slot].storage)
            if room > 1 { column.reserve(room) }
            return column
        }
        groups.append(
            ChangeGroup(
                entity: object.key.entity, operation: operation, slots: slots.map(UInt16.init),
                new: operation == .delete ? [] : columns, old: operation == .delete ? columns : []))
        objects.append([])
        groups[groups.count - 1].primaryKeys.reserveCapacity(room)
        objects[groups.count - 1].reserveCapacity(room)
        return groups.count - 1
    }

    /// Static, since a method would hold a second copy of `groups`, and every append to a column would copy the column.
    private static func append(_ object: NSManagedObject, _ slot: Int, to column: inout Column) throws {
        let value = object.values.isEmpty ? .unset : object.values[slot]
        switch value {
        case .integer(let value): column.append(value)
        case .real(let value): column.append(value)
        case .text(let value): column.append(value)
        case .blob(let value): value.withUnsafeBytes { column.append(bytes: $0) }
        case .toOne(let destination): try column.append(key(of: destination, from: object, slot))
        case .null: column.appendNull()
        case .unset:
            // What is read may follow from the other side; what is written has to say it.
            if object.layout.slots[slot].isOneToOne, object.snapshot != nil, object.destination(slot) == nil {
                column.appendNull()
            } else {
                let saved = object.snapshot?.value(slot) ?? .null
                column.append(try object.store?.inline(saved, object.layout.slots[slot]) ?? saved)
            }
        case .boxed: column.append(try AttributeCoding.stored(value, object.layout.slots[slot]))
        case .toMany: column.appendNull()
        }
    }

    private static func key(
        of destination: NSManagedObject, from object: NSManagedObject, _ slot: Int
    ) throws -> ObjectKey {
        let sameStore = destination.store === object.store
        guard sameStore, destination.key.primaryKey > 0 else {
            let name = object.layout.slots[slot].name
            throw CoreDataError.make(
                .managedObjectExternalRelationship,
                "\"\(name)\" of \(object.objectID.uriRepresentation()) leads to "
                    + "\(destination.objectID.uriRepresentation()), which is not in the same store: "
                    + "relationships end where a store ends; keep the object's URI instead",
                [NSAffectedObjectsErrorKey: [object, destination]])
        }
        return destination.key
    }
}
