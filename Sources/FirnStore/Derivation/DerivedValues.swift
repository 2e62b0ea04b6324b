package import FirnLog
package import FirnModel
import FirnProjection
import Foundation

/// The derived values of one object.
package struct DerivedRow {
    package let key: ObjectKey
    package let layout: EntityLayout
    package var values: [(slot: Int, stored: PropertyValue)] = []
}

/// Computes the derived attributes that a change set concerns, so that they can become part of it: log, tables and
/// rebuilt tables have them as any other value.
///
/// Whom a change concerns is asked twice, of the rows as they are and of the rows as the change set leaves them; the
/// values come from the latter:
///
///     change set ─► owners before ─► owners after ─► values
///
/// O(objects of the change set, and all that the paths of their owners lead to).
struct DerivedValues {
    let plan: DerivationPlan
    let reader: TableReader

    /// Objects in the order in which they were found, with the derived attributes that are to be computed.
    private struct Owners {
        private(set) var keys: [ObjectKey] = []
        private(set) var slots: [ObjectKey: SlotSet] = [:]

        mutating func insert(_ found: some Sequence<ObjectKey>, _ slot: Int) {
            for key in found {
                if slots[key] == nil { keys.append(key) }
                slots[key, default: SlotSet()].insert(slot)
            }
        }
    }

    /// All derived values of what the change set inserts and updates, and those of others that follow from it, whether
    /// they differ from the rows or not.
    func values(after changes: ChangeSet) throws -> [DerivedRow] {
        var owners = Owners()
        var concerned: [(dependent: DerivationPlan.Dependent, keys: [ObjectKey])] = []
        for group in changes.groups where group.operation != .refresh {
            guard let layout = reader.schema.entity(group.entity)?.layout else { continue }
            let keys = group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) }
            if group.operation != .delete {
                for derivation in plan.derivations(of: layout) { owners.insert(keys, derivation.slot) }
            }
            for dependent in plan.dependents(of: layout)
            where group.operation != .update || dependent.isConcerned({ group.slots.contains(UInt16($0)) }) {
                concerned.append((dependent, keys))
            }
        }
        if owners.keys.isEmpty, concerned.isEmpty { return [] }
        let before = DerivationReader(reader, after: ChangeSet(model: changes.model))
        for (dependent, keys) in concerned { owners.insert(try before.owners(dependent, keys), dependent.slot) }
        let after = DerivationReader(reader, after: changes)
        for (dependent, keys) in concerned { owners.insert(try after.owners(dependent, keys), dependent.slot) }
        return try computed(owners, after)
    }

    /// All derived values of these objects, as the rows are.
    func values(of keys: [ObjectKey], _ layout: EntityLayout) throws -> [DerivedRow] {
        var owners = Owners()
        for derivation in plan.derivations(of: layout) { owners.insert(keys, derivation.slot) }
        return try computed(owners, DerivationReader(reader, after: ChangeSet(model: .zero)))
    }

    private func computed(_ owners: Owners, _ rows: DerivationReader) throws -> [DerivedRow] {
        var result: [DerivedRow] = []
        for (key, row) in try rows.rows(owners.keys) {
            // The key that was found may be that of a superentity.
            guard let slots = owners.slots[key], let layout = reader.schema.entity(row.key.entity)?.layout
            else { continue }
            var derived = DerivedRow(key: row.key, layout: layout)
            for derivation in plan.derivations(of: layout) where slots.contains(derivation.slot) {
                let info = layout.slots[derivation.slot]
                let value = try derivation.value { try rows.value($0, row) }
                derived.values.append((derivation.slot, try ValueCoding.stored(value, info)))
            }
            result.append(derived)
        }
        return result
    }
}

/// The derived attributes of all objects: after a migration, in one change set of their own. History and followers see
/// it as the updates that it is.
///
/// No class of the program is asked, and no rule is checked. O(objects with derived attributes), which are in memory
/// together.
struct DerivationsOfAll: ChangeComputation {
    let plan: DerivationPlan
    let model: SequenceNumber

    func changeSet(_ reader: TableReader) throws -> ComputedChanges {
        let updates = UpdateGroups(reader)
        for entity in reader.schema.entities where !entity.isAbstract && !plan.derivations(of: entity.layout).isEmpty {
            var request = FetchSettings()
            request.entity = entity
            request.includesSubentities = false
            request.resultType = .managedObjectIDResultType
            let keys = try reader.keys(FetchPlan(request, schema: reader.schema))
            for derived in try DerivedValues(plan: plan, reader: reader).values(of: keys, entity.layout) {
                for (slot, stored) in derived.values {
                    updates.set(stored, slot, of: derived.key, named: derived.layout.slots[slot])
                }
            }
        }
        return ComputedChanges(ChangeSet(model: model, groups: try updates.groups()))
    }
}
