import FirnLog
import FirnModel
import FirnProjection

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
