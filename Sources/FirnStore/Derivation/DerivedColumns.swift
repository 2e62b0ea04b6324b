import FirnLog
import FirnModel
import FirnProjection

/// Puts the derived attributes that follow from a change set into it: those of its own rows into its groups, those of
/// others into groups of their own.
struct DerivedColumns {
    let plan: DerivationPlan
    let reader: TableReader

    /// Returns the values, whether they differ from the rows or not.
    func complete(_ changes: inout ChangeSet) throws -> [DerivedRow] {
        let derived = try DerivedValues(plan: plan, reader: reader).values(after: changes)
        if derived.isEmpty { return [] }
        var left: [ObjectKey: DerivedRow] = [:]
        for values in derived { left[values.key] = values }
        changes.groups = try changes.groups.flatMap { try completed($0, &left) }
        let updates = UpdateGroups(reader)
        for values in derived where left[values.key] != nil {
            for (slot, stored) in values.values {
                updates.set(stored, slot, of: values.key, named: values.layout.slots[slot])
            }
        }
        changes.groups += try updates.groups()
        return derived
    }

    /// The group with its rows' derived values. An update is several groups if the values of some rows are as before.
    private func completed(_ group: ChangeGroup, _ left: inout [ObjectKey: DerivedRow]) throws -> [ChangeGroup] {
        guard group.operation == .insert || group.operation == .update,
            let layout = reader.schema.entity(group.entity)?.layout
        else { return [group] }
        let derivations = plan.derivations(of: layout)
        if derivations.isEmpty { return [group] }
        let keys = group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) }
        defer { for key in keys { left[key] = nil } }
        let values = keys.map { left[$0]?.values ?? [] }
        var plain = group
        for derivation in derivations { plain.removeColumn(UInt16(derivation.slot)) }
        if group.operation == .insert {
            for derivation in derivations {
                var column = Column(layout.slots[derivation.slot].storage)
                for row in values { column.append(row.first { $0.slot == derivation.slot }?.stored ?? .null) }
                plain.insert(column, nil, UInt16(derivation.slot))
            }
            return [plain.withoutNullColumns]
        }
        return try split(plain, values, keys, layout)
    }

    /// One group for all rows in which the same derived values differ from the store's.
    private func split(
        _ group: ChangeGroup, _ values: [[(slot: Int, stored: PropertyValue)]], _ keys: [ObjectKey],
        _ layout: EntityLayout
    ) throws -> [ChangeGroup] {
        let stored = try ChangedRows(reader, ChangeSet(model: .zero)).rows(keys)
        let known = Dictionary(stored.map { ($0.key, $0.row) }) { first, _ in first }
        var rows: [SlotSet: [Int]] = [:]
        var order: [SlotSet] = []
        for (row, key) in keys.enumerated() {
            var slots = SlotSet()
            for (slot, value) in values[row] where !value.isExactly(known[key]?.value(slot) ?? .null) {
                slots.insert(slot)
            }
            if rows[slots] == nil { order.append(slots) }
            rows[slots, default: []].append(row)
        }
        return order.compactMap { slots in
            guard let chosen = rows[slots] else { return nil }
            var part = chosen.count == keys.count ? group : group.rows(chosen)
            slots.forEach { slot in
                var (new, old) = (Column(layout.slots[slot].storage), Column(layout.slots[slot].storage))
                for row in chosen {
                    new.append(values[row].first { $0.slot == slot }?.stored ?? .null)
                    old.append(known[keys[row]]?.value(slot) ?? .null)
                }
                part.insert(new, old, UInt16(slot))
            }
            return part.slots.isEmpty ? nil : part
        }
    }
}

extension ChangeGroup {
    fileprivate mutating func removeColumn(_ slot: UInt16) {
        guard let index = slots.firstIndex(of: slot) else { return }
        slots.remove(at: index)
        if !new.isEmpty { new.remove(at: index) }
        if !old.isEmpty { old.remove(at: index) }
    }

    /// Adds a column at its slot; of an update with the old values.
    fileprivate mutating func insert(_ new: Column, _ old: Column?, _ slot: UInt16) {
        let index = slots.firstIndex { $0 >= slot } ?? slots.count
        slots.insert(slot, at: index)
        self.new.insert(new, at: index)
        if let old { self.old.insert(old, at: index) }
    }

    fileprivate func rows(_ chosen: [Int]) -> ChangeGroup {
        func part(_ column: Column) -> Column {
            var result = Column(column.type)
            for row in chosen { if column.type == .none { result.appendTouched() } else { result.append(column[row]) } }
            return result
        }
        return ChangeGroup(
            entity: entity, operation: operation, primaryKeys: chosen.map { primaryKeys[$0] }, slots: slots,
            new: new.map(part), old: old.map(part))
    }
}
