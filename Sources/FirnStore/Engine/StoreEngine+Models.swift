package import FirnLog
import FirnModel

/// The models that a store has had.
extension StoreEngine {
    /// The steps from the terms of an older model to this engine's, in order, each with the model it leads to.
    package func migrations(from source: SequenceNumber) throws -> [(LogMigration, LogModel)] {
        var steps: [(LogMigration, LogModel)] = []
        var current = modelSequence
        while current > source {
            let model = try log.model(at: current)
            guard let migration = model.migration else { break }
            if !migration.keepsTerms { steps.append((migration, model)) }
            current = migration.source
        }
        return steps.reversed()
    }

    /// The groups of a change set in this engine's terms, without those of entities that are gone.
    package func upcast(_ changes: ChangeSet) throws -> [ChangeGroup] {
        if changes.model == modelSequence { return changes.groups }
        let steps = try migrations(from: changes.model)
        if steps.isEmpty { return changes.groups }
        return changes.groups.compactMap { group in
            var group = group
            for (migration, model) in steps {
                guard let next = migration.upcast(group, to: model) else { return nil }
                group = next
            }
            return group
        }
    }
}
