package import FirnLog
import FirnModel
import FirnProjection

/// The models that a store has had.
extension StoreEngine {
    /// A run of records in the terms of one model.
    struct Epoch {
        /// The record that began it: the store's first model, or a migration.
        var start: SequenceNumber
        /// The last model in it.
        var model: SequenceNumber
    }

    /// The terms in force after a record, as far as this engine's own.
    func epoch(at sequence: SequenceNumber) throws -> Epoch {
        var epoch = Epoch(start: modelSequence, model: modelSequence)
        while let migration = try log.model(at: epoch.start).migration {
            if epoch.start <= sequence, !migration.keepsTerms { return epoch }
            if !migration.keepsTerms { epoch.model = migration.source }
            epoch.start = migration.source
        }
        return epoch
    }

    /// What leads from the terms of an older model to this engine's, in order, each with the model it leads to.
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
