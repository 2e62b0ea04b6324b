package import FirnLog

/// The question to each record: who wrote it, and whether it changed objects of an entity.
package struct RecordFilter: Sendable {
    private let author: String?
    private let entity: String?
    /// By the record that carries a model, the entities in it that are wanted.
    private var entities: [SequenceNumber: Set<EntityNumber>] = [:]

    /// - Parameters:
    ///   - author: a part of the name, in any case; nil for all. Where a record names no author, the program's name
    ///     stands for it.
    ///   - entity: stands for those below it too; nil for all. Throws for one that no model of the log has.
    package init(author: String?, entity: String?, in log: SegmentLog) throws {
        try self.init(author: author, entity: entity, among: entity == nil ? [:] : log.everyModel())
    }

    /// Makes a filter with every model that a record was written with, by the record that carries it.
    package init(author: String?, entity: String?, among everyModel: [SequenceNumber: LogModel]) throws {
        self.author = author?.lowercased()
        self.entity = entity
        guard let entity else { return }
        for (sequence, model) in everyModel { entities[sequence] = try? model.subtree(of: entity) }
        if entities.isEmpty {
            let names = everyModel.values.flatMap(\.entities).map(\.name)
            throw Failure(
                "there is no entity “\(entity)” in the store's model" + Suggestion.text(for: entity, among: names))
        }
    }

    package func includes(_ record: LogRecord) -> Bool {
        guard includes(record.header) else { return false }
        guard entity != nil else { return true }
        guard case .changes(let changes) = record.body, let wanted = entities[changes.model] else { return false }
        return changes.groups.contains { wanted.contains($0.entity) }
            || changes.links.contains { wanted.contains($0.entity) }
    }

    package func includes(_ header: TransactionHeader) -> Bool {
        guard let author else { return true }
        return (header.author ?? header.processName).lowercased().contains(author)
    }

    /// The wanted entities of a model, by the record that carries it; nil for all.
    package func entities(at model: SequenceNumber) -> Set<EntityNumber>? {
        entity == nil ? nil : entities[model] ?? []
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
