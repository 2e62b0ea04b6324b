package import FirnLog

/// The question to each record: who wrote it, and whether it changed objects of an entity, one object, or a property.
package struct RecordFilter: Sendable {
    /// The objects that are wanted, in the terms of one model.
    private struct Wanted: Sendable {
        var entities: Set<EntityNumber>
        /// The only object that is wanted; nil for all.
        var object: ObjectKey?
        /// Where the property is, by entity; nil for all properties.
        var slots: [EntityNumber: UInt16]?
    }

    private let author: String?
    /// By the record that carries a model; nil for all objects.
    private var wanted: [SequenceNumber: Wanted]?

    /// - Parameters:
    ///   - author: a part of the name, in any case; nil for all. Where a record names no author, the program's name
    ///     stands for it.
    ///   - entity: stands for those below it too; nil for all.
    ///   - object: the only object that is wanted, as it is named now.
    ///   - property: the only property that is wanted, of any entity.
    ///
    /// Throws for an entity or a property that no model of the log has.
    package init(
        author: String?, entity: String?, object: ObjectName? = nil, property: String? = nil, in log: SegmentLog
    ) throws {
        let isOpen = entity == nil && object == nil && property == nil
        let current = log.currentModelSequence
        try self.init(
            author: author, entity: entity, object: object, property: property, among: isOpen ? [:] : log.everyModel()
        ) { try log.key(of: $0.entity, $0.key, at: $1, namedAt: current) }
    }

    /// Makes a filter with every model that a record was written with, by the record that carries it.
    ///
    /// - Parameter key: finds the key of an object in the terms of a model.
    package init(
        author: String?, entity: String?, object: ObjectName? = nil, property: String? = nil,
        among everyModel: [SequenceNumber: LogModel],
        _ key: (ObjectName, SequenceNumber) throws -> ObjectKey? = { _, _ in nil }
    ) throws {
        self.author = author?.lowercased()
        if entity == nil, object == nil, property == nil { return }
        let models = everyModel.values
        for name in [entity, object?.entity].compactMap(\.self) {
            let names = models.flatMap(\.entities).map(\.name)
            guard !names.contains(name) else { continue }
            throw Failure(
                "there is no entity “\(name)” in the store's model" + Suggestion.text(for: name, among: names))
        }
        var wanted: [SequenceNumber: Wanted] = [:]
        for (sequence, model) in everyModel {
            let key = try object.flatMap { try key($0, sequence) }
            if object == nil || key != nil { wanted[sequence] = Self.wanted(model, entity, key, property) }
        }
        self.wanted = wanted
        guard let property, wanted.values.allSatisfy({ $0.slots?.isEmpty ?? false }) else { return }
        let names = models.flatMap(\.entities).flatMap(\.namedProperties).map(\.name)
        throw Failure(
            "\(object?.entity ?? entity ?? "the store's model") has no property “\(property)”"
                + Suggestion.text(for: property, among: names))
    }

    /// Nil if the model does not have the entity.
    private static func wanted(
        _ model: LogModel, _ entity: String?, _ object: ObjectKey?, _ property: String?
    ) -> Wanted? {
        var entities = Set(model.entities.map(\.number))
        if let entity {
            guard let subtree = try? model.subtree(of: entity) else { return nil }
            entities = subtree
        }
        if let object { entities.formIntersection([object.entity]) }
        guard let property else { return Wanted(entities: entities, object: object) }
        var slots: [EntityNumber: UInt16] = [:]
        for entity in model.entities where entities.contains(entity.number) {
            slots[entity.number] = entity.properties.firstIndex { $0.name == property }.map(UInt16.init)
        }
        return Wanted(entities: entities, object: object, slots: slots)
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
        return wanted.slots.map { $0[group.entity].map(group.slots.contains) ?? false } ?? true
    }

    private func includes(_ group: LinkGroup, _ wanted: Wanted) -> Bool {
        if let slots = wanted.slots, slots[group.entity] != group.slot { return false }
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
