/// What changed between two records, as one net change an object, whatever happened in between.
///
///     record    11: + Person/3    12: ~ Person/3 name    13: ~ Person/1 name A → B    14: ~ Person/1 name B → A
///     10 … 14   + Person/3 with the newer name; Person/1 is as it was, so nothing is told of it
public struct LogDifference: Hashable, Sendable {
    /// One group an object, by entity and key, then the members that came and went; in the terms of the model that
    /// was in force after the later record.
    public var changes: ChangeSet
    public var model: LogModel
    /// Migrations in between that wrote rows anew: what values these changed is not told.
    public var rewrites: [SequenceNumber]

    /// The same from the later record to the earlier: what came goes, and the new values are the old ones.
    public var reversed: LogDifference {
        var result = self
        for index in result.changes.groups.indices {
            let group = changes.groups[index]
            result.changes.groups[index].new = group.old
            result.changes.groups[index].old = group.new
            switch group.operation {
            case .insert: result.changes.groups[index].operation = .delete
            case .delete: result.changes.groups[index].operation = .insert
            case .update, .refresh: break
            }
        }
        for index in result.changes.links.indices {
            result.changes.links[index].added = changes.links[index].removed
            result.changes.links[index].removed = changes.links[index].added
        }
        return result
    }
}

extension SegmentLog {
    /// The net change from the state after `start` to that after `end`, which is not before it. Both must not have
    /// been cut off. What a migration in between gave an object without a change set, a default, is not told.
    ///
    /// Complexity: O(changes in between) in time, O(objects they touch) in memory.
    public func difference(from start: SequenceNumber, to end: SequenceNumber) throws -> LogDifference {
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
            if case .model(let model) = record.body, model.migration?.rows != nil { rewrites.append(record.sequence) }
            guard case .changes(let changes) = record.body else { continue }
            let steps = try migrations(from: changes.model, to: sequence)
            for group in changes.groups {
                if let group = steps.upcast(group) { net.take(group) }
            }
            for links in changes.links {
                if let links = steps.upcast(links) { net.take(links) }
            }
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

    /// What leads from the terms of one model to those of a later one, in order.
    func migrations(
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

/// A way from an older model to a newer one.
struct MigrationSteps {
    let steps: [(migration: LogMigration, model: LogModel)]

    /// Nil if the entity is gone.
    func upcast(_ group: ChangeGroup) -> ChangeGroup? {
        var group = group
        for step in steps {
            guard let next = step.migration.upcast(group, to: step.model) else { return nil }
            group = next
        }
        return group
    }

    /// What was added to the primary keys of an entity on the way.
    func keyOffset(of entity: EntityNumber) -> Int64 {
        steps.reduce(0) { $0 + ($1.migration.entity(entity)?.keyOffset ?? 0) }
    }

    /// The slot of a property at the end of the way; nil if it is gone.
    func slot(_ slot: UInt16, of entity: EntityNumber) -> UInt16? {
        var slot = slot
        for step in steps {
            let moved = step.migration.entity(entity)?.properties.first { $0.source == .slot(slot) }
            guard let moved else { return nil }
            slot = moved.slot
        }
        return slot
    }

    /// Nil if the relationship is gone.
    func upcast(_ group: LinkGroup) -> LinkGroup? {
        var group = group
        for (migration, _) in steps {
            guard let moved = migration.entity(group.entity),
                let slot = moved.properties.first(where: { $0.source == .slot(group.slot) })?.slot
            else { return nil }
            group.slot = slot
            func links(_ links: [Link]) -> [Link] {
                links.compactMap { link in
                    guard let source = migration.upcast(link.source),
                        let destination = migration.upcast(link.destination)
                    else { return nil }
                    var link = link
                    (link.source, link.destination) = (source, destination)
                    return link
                }
            }
            group.added = links(group.added)
            group.removed = links(group.removed)
        }
        return group
    }
}
