package import FirnLog
import FirnModel
import FirnProjection

/// Puts the derived attributes that follow from a batch into its change set.
struct BatchDerivations {
    let plan: DerivationPlan
    let session: WriteSession

    /// Under the writer lock, before anything of the change set is written.
    func complete(_ changes: inout ChangeSet) throws {
        if plan.isEmpty { return }
        let derived = try DerivedValues(plan: plan, session: session).values(after: changes)
        if derived.isEmpty { return }
        var left: [ObjectKey: DerivedRow] = [:]
        for values in derived { left[values.key] = values }
        for index in changes.groups.indices { try fill(&changes.groups[index], &left) }
        let updates = UpdateGroups(session)
        for values in derived where left[values.key] != nil {
            for (slot, stored) in values.values {
                updates.set(stored, slot, of: values.key, named: values.layout.slots[slot])
            }
        }
        changes.groups += try updates.groups()
    }

    /// What the batch writes itself has its derived values in the same group.
    private func fill(_ group: inout ChangeGroup, _ left: inout [ObjectKey: DerivedRow]) throws {
        guard group.operation == .insert || group.operation == .update,
            let layout = session.schema.entity(group.entity)?.layout
        else { return }
        let keys = group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) }
        for derivation in plan.derivations(of: layout) {
            let storage = layout.slots[derivation.slot].storage
            var (new, old) = (Column(storage), Column(storage))
            var differs = false
            for key in keys {
                let stored = group.operation == .insert ? nil : try session.snapshot(key)?.value(derivation.slot)
                let value = left[key]?.values.first { $0.slot == derivation.slot }?.stored ?? stored ?? .null
                if value != stored ?? .null { differs = true }
                new.append(value)
                old.append(stored ?? .null)
            }
            if differs { group.put(new, old, UInt16(derivation.slot)) }
        }
        for key in keys { left[key] = nil }
    }
}

extension WriteSession {
    /// Puts the derived attributes that follow from a batch into its change set. Under the writer lock, before anything
    /// of the change set is written.
    package func addDerivedValues(to changes: inout ChangeSet) throws {
        try BatchDerivations(plan: derivations, session: self).complete(&changes)
    }
}

extension ChangeGroup {
    /// Puts a column at its slot, in place of the one that is there.
    fileprivate mutating func put(_ new: Column, _ old: Column, _ slot: UInt16) {
        let index = slots.firstIndex { $0 >= slot } ?? slots.count
        if index < slots.count, slots[index] == slot {
            self.new[index] = new
            return
        }
        slots.insert(slot, at: index)
        self.new.insert(new, at: index)
        if operation == .update { self.old.insert(old, at: index) }
    }
}
