package import FirnLog

/// The question to each record: who wrote it, and whether it changed objects of an entity, one object, or a property.
package struct RecordFilter: Sendable {
    /// The objects that are wanted, in the terms of one model.
    private struct Wanted: Sendable {
        var entities: Set<EntityNumber>
        /// The only object that is wanted; nil for all.
        var object: ObjectKey?
        /// Where the property is, by entity; nil for all properties.
        var slots: [EntityNumber: Set<UInt16>]?
    }

    private let author: String?
    /// By the record that carries a model; nil for all objects.
    private var wanted: [SequenceNumber: Wanted]?

    /// Entities, objects and properties are named as they are now, or as they were.
    ///
    /// - Parameters:
    ///   - author: a part of the name, in any case; nil for all. Where a record names no author, the program's name
    ///     stands for it.
    ///   - entity: stands for those below it too; nil for all.
    ///   - object: the only object that is wanted; nil for all.
    ///   - property: the only property that is wanted, of any entity.
    ///   - models: every model that a record was written with, by the record that carries it; nil to look for them.
    ///
    /// Throws for an entity or a property that no model of the log has.
    package init(
        author: String?, entity: String?, object: ObjectName? = nil, property: String? = nil, in log: SegmentLog,
        among models: [SequenceNumber: LogModel]? = nil
    ) throws {
        self.author = author?.lowercased()
        if entity == nil, object == nil, property == nil { return }
        let names = try PastNames(models ?? log.everyModel(), in: log)
        let models = names.models
        let entities = try entity.map(names.entities)
        if let object { _ = try names.entities(named: object.entity) }
        var wanted: [SequenceNumber: Wanted] = [:]
        for (sequence, model) in models {
            let trees = entities?.flatMap { (try? model.subtree(of: $0)) ?? [] }
            var found = Wanted(entities: Set(trees ?? model.entities.map(\.number)))
            if let object {
                let current = log.currentModelSequence
                guard let key = try log.key(of: object.entity, object.key, at: sequence, namedAt: current)
                else { continue }
                found.entities.formIntersection([key.entity])
                found.object = key
            }
            wanted[sequence] = found
        }
        if let property {
            let owners = Set(wanted.flatMap { sequence, wanted in
                (models[sequence]?.entities ?? []).filter { wanted.entities.contains($0.number) }.map(\.name)
            })
            let words = object?.entity ?? entity ?? "the store's model"
            let properties = try names.properties(named: property, of: owners, words)
            for (sequence, found) in wanted {
                wanted[sequence]?.slots = models[sequence].map { Self.slots(properties, of: found.entities, $0) }
            }
        }
        self.wanted = wanted
    }

    /// The slots of the properties of these names, by entity.
    private static func slots(
        _ names: Set<String>, of entities: Set<EntityNumber>, _ model: LogModel
    ) -> [EntityNumber: Set<UInt16>] {
        model.entities.filter { entities.contains($0.number) }.reduce(into: [:]) { slots, entity in
            let found = entity.properties.indices.filter { names.contains(entity.properties[$0].name) }
            slots[entity.number] = Set(found.map(UInt16.init))
        }
    }

    package func includes(_ record: LogRecord) -> Bool {
        guard includes(record.header) else { return false }
        guard let wanted else { return true }
        guard case .changes(let changes) = record.body, let wanted = wanted[changes.model] else { return false }
        return changes.groups.contains { includes($0, wanted) } || changes.links.contains { includes($0, wanted) }
    }

    private func includes(_ group: ChangeGroup, _ wanted: Wanted) -> Bool {
        guard wanted.entities.contains(group.entity),
            wanted.object.map({ group.primaryKeys.contains($0.primaryKey) }) ?? true
        else { return false }
        guard let slots = wanted.slots else { return true }
        return slots[group.entity].map { !$0.isDisjoint(with: group.slots) } ?? false
    }

    private func includes(_ group: LinkGroup, _ wanted: Wanted) -> Bool {
        if let slots = wanted.slots, slots[group.entity]?.contains(group.slot) != true { return false }
        guard let key = wanted.object?.primaryKey else { return wanted.entities.contains(group.entity) }
        return (group.added + group.removed).lazy.flatMap { [$0.source, $0.destination] }.contains { end in
            end.primaryKey == key && wanted.entities.contains(end.entity)
        }
    }

    package func includes(_ header: TransactionHeader) -> Bool {
        guard let author else { return true }
        return (header.author ?? header.processName).lowercased().contains(author)
    }

    /// The wanted entities of a model, by the record that carries it; nil for all.
    package func entities(at model: SequenceNumber) -> Set<EntityNumber>? {
        wanted.map { $0[model]?.entities ?? [] }
    }
}

extension SegmentLog {
    /// Throws the damage after the last record that can be read, if there is any: to a reader the log ends before it.
    package func checkEnd() throws { _ = try records(after: max(head, beforeFirst)).next() }

    /// Every model that a record was written with, by the record that carries it.
    ///
    /// Complexity: walks over the headers of all records.
    package func everyModel() throws -> [SequenceNumber: LogModel] {
        var models: [SequenceNumber: LogModel] = [:]
        if let (sequence, model) = try model(inForceAt: beforeFirst) { models[sequence] = model }
        let reader = try records(after: beforeFirst)
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .model { models[frame.sequence] = try model(at: frame.sequence) }
        }
        return models
    }
}

extension SegmentLog {
    /// The position before the first record that is still there.
    package var beforeFirst: SequenceNumber { SequenceNumber(first.rawValue - 1) }
}
