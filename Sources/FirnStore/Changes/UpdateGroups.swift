package import FirnLog
package import FirnModel
import FirnProjection

/// Collects changes of single rows into the groups of a change set, with old and new values.
package final class UpdateGroups {
    private struct Change {
        /// By slot; nil for a to-many whose members changed.
        var values: [Int: PropertyValue?] = [:]
        var slots = SlotSet()
    }

    private struct Shape: Hashable {
        let entity: EntityNumber
        let slots: SlotSet
    }

    private let reader: TableReader
    private var changes: [ObjectKey: Change] = [:]
    private var order: [ObjectKey] = []

    package init(_ reader: TableReader) { self.reader = reader }

    private func record(_ key: ObjectKey, _ slot: Int, _ value: PropertyValue?) {
        if changes[key] == nil { order.append(key) }
        changes[key, default: Change()].values[slot] = .some(value)
        changes[key]?.slots.insert(slot)
    }

    /// A new value. `info` is the property as the caller's entity has it; a row of an entity without it is left alone.
    package func set(_ value: PropertyValue, _ slot: Int, of key: ObjectKey, named info: Slot) {
        guard let slots = reader.schema.entity(key.entity)?.layout.slots, slot < slots.count,
            slots[slot].property === info.property
        else { return }
        record(key, slot, value)
    }

    /// Members of a to-many changed; what they are is told elsewhere.
    package func touch(_ slot: Int, of key: ObjectKey) { record(key, slot, nil) }

    /// The groups, with what differs from the rows as they are. A row that is gone, or has all its new values already,
    /// is left out.
    package func groups() throws -> [ChangeGroup] {
        let rows = try reader.rows(order)
        var groups: [ChangeGroup] = []
        var indexes: [Shape: Int] = [:]
        for index in 0..<rows.count {
            let (batch, row) = rows[index]
            let key = batch.key(at: row)
            guard let change = changes[key] else { continue }
            var slots = SlotSet()
            change.slots.forEach { slot in
                let isThere =
                    if case .some(.some(let value)) = change.values[slot] {
                        value.isExactly(batch.value(at: row, slot: slot))
                    } else { false }
                if !isThere { slots.insert(slot) }
            }
            if slots.isEmpty { continue }
            let shape = Shape(entity: key.entity, slots: slots)
            let group = indexes[shape] ?? newGroup(shape, &groups)
            indexes[shape] = group
            append(change, batch, row, slots.slots, to: &groups[group])
        }
        return groups
    }

    private func newGroup(_ shape: Shape, _ groups: inout [ChangeGroup]) -> Int {
        let slots = shape.slots.slots
        let layout = reader.schema.entity(shape.entity)?.layout
        let columns = slots.map { Column(layout?.slots[$0].storage ?? .none) }
        groups.append(
            ChangeGroup(
                entity: shape.entity, operation: .update, slots: slots.map(UInt16.init), new: columns, old: columns))
        return groups.count - 1
    }

    private func append(
        _ change: Change, _ batch: RowBatch, _ row: Int, _ slots: [Int], to group: inout ChangeGroup
    ) {
        group.primaryKeys.append(batch.primaryKeys[row])
        for (column, slot) in slots.enumerated() {
            if case .some(.some(let value)) = change.values[slot] {
                group.new[column].append(value)
                group.old[column].append(batch.value(at: row, slot: slot))
            } else {
                group.new[column].appendTouched()
                group.old[column].appendTouched()
            }
        }
    }
}
