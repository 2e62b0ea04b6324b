extension SegmentLog {
    private static let checkInterval: UInt64 = 64

    /// The net change from the state after `start` to that after `end`, which is not before it. Both must not have
    /// been cut off. Defaults that a migration in between set without a change set are not in it.
    ///
    /// Complexity: O(changes in between) in time, O(objects they touch) in memory.
    public func difference(from start: SequenceNumber, to end: SequenceNumber) throws -> LogDifference {
        try difference(from: start, to: end) {}
    }

    /// The difference between two points.
    package func difference(
        from start: SequenceNumber, to end: SequenceNumber, check: () throws -> Void
    ) throws -> LogDifference {
        guard start <= end else {
            fatalError("ask for the difference from the earlier record to the later one")
        }
        guard let (sequence, model) = try model(inForceAt: end) else {
            return LogDifference(
                changes: ChangeSet(model: .zero), model: LogModel(entities: []), rewrites: [])
        }
        var net = NetChanges()
        var rewrites: [SequenceNumber] = []
        let reader = try records(after: start)
        while reader.position < end, let record = try reader.next() {
            if record.sequence.rawValue % Self.checkInterval == 0 { try check() }
            if case .model(let model) = record.body, model.migration?.rows != nil { rewrites.append(record.sequence) }
            guard case .changes(let changes) = record.body else { continue }
            let upcast = try migrations(from: changes.model, to: sequence).upcast(changes)
            for group in upcast.groups { net.apply(group) }
            for links in upcast.links { net.apply(links) }
        }
        return LogDifference(
            changes: net.changes(sequence, model), model: model, rewrites: rewrites)
    }

    /// The model in whose terms the state after a record is, and the record that carries it; nil before the first.
    public func model(
        inForceAt sequence: SequenceNumber
    ) throws -> (sequence: SequenceNumber, model: LogModel)? {
        guard var found = try currentModel else { return nil }
        while found.sequence > sequence {
            guard let source = found.model.migration?.source else { return nil }
            found = (source, try model(at: source))
        }
        return found
    }

    /// The key in the terms of a model of an object that is named as in those of model `current`; nil if its entity was
    /// not there. An object whose entity is gone is named as it was then.
    package func key(
        of entity: String, _ key: Int64, at model: SequenceNumber, namedAt current: SequenceNumber
    ) throws -> ObjectKey? {
        let then = try self.model(at: model)
        guard let now = try self.model(at: current).entities.first(where: { $0.name == entity }) else {
            return then.entities.first { $0.name == entity }.map { ObjectKey(entity: $0.number, primaryKey: key) }
        }
        let offset = try migrations(from: model, to: current).keyOffset(of: now.number)
        return then.entity(now.number).map { ObjectKey(entity: $0.number, primaryKey: key - offset) }
    }

    /// The steps from the terms of one model to those of a later one, in order.
    package func migrations(
        from source: SequenceNumber, to target: SequenceNumber
    ) throws -> MigrationSteps {
        var steps: [(LogMigration, LogModel)] = []
        var current = target
        while current > source {
            let model = try model(at: current)
            guard let migration = model.migration else { break }
            if !migration.keepsTerms { steps.append((migration, model)) }
            current = migration.source
        }
        return MigrationSteps(steps: steps.reversed())
    }
}
