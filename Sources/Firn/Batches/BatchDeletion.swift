import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A batch delete on its way into a change set.
///
/// Deletion spreads in waves: the rows of a wave tell what their relationships lead to, and where the rule is cascade
/// that is the next wave. When all that goes is known, what stays is told of it.
final class BatchDeletion {
    /// A relationship from an object that goes to one that may stay.
    private struct Edge {
        let owner: ObjectKey
        let info: Slot
        let related: ObjectKey
    }

    private let target: BatchOperation.Target
    private let questions: [FetchSettings]
    private var gone: Set<ObjectKey> = []
    private var keys: [ObjectKey] = []
    private var edges: [Edge] = []
    private var groups: [ChangeGroup] = []

    /// Deletes what any of the requests finds.
    init(_ target: BatchOperation.Target, _ settings: [FetchSettings]) {
        self.target = target
        questions = settings.map { settings in
            var question = settings
            question.resultType = .managedObjectIDResultType
            return question
        }
    }

    /// Under the writer lock.
    func changeSet(_ session: WriteSession) throws -> BatchOperation.Made {
        var wave: [ObjectKey] = []
        for question in questions {
            let keys = try session.reader.keys(FetchPlan(question, schema: session.schema))
            wave += wave.isEmpty ? keys : keys.filter(Set(keys).subtracting(wave).contains)
        }
        while !wave.isEmpty { wave = try expand(wave, session) }
        let updates = UpdateGroups(session)
        let links = try resolveEdges(session, updates)
        let changes = ChangeSet(
            model: target.engine.modelSequence, groups: groups + (try updates.groups()), links: links)
        return BatchOperation.Made(changeSet: changes, keys: keys)
    }

    /// Takes the rows of a wave; returns the next one.
    private func expand(_ wave: [ObjectKey], _ session: WriteSession) throws -> [ObjectKey] {
        gone.formUnion(wave)
        var next: [ObjectKey] = []
        var waiting: Set<ObjectKey> = []
        for batch in try session.reader.rows(wave).batches {
            guard let layout = session.schema.entity(batch.entity)?.layout else { continue }
            keys += batch.primaryKeys.map { ObjectKey(entity: batch.entity, primaryKey: $0) }
            groups.append(Self.group(batch, layout))
            for slot in layout.relationshipSlots where !layout.slots[slot].isTransient {
                let info = layout.slots[slot]
                try forEachRelated(batch, info, session) { owner, related in
                    edges.append(Edge(owner: owner, info: info, related: related))
                    if info.deleteRule == .cascadeDeleteRule, !gone.contains(related),
                        waiting.insert(related).inserted
                    {
                        next.append(related)
                    }
                }
            }
        }
        return next
    }

    /// The whole last rows.
    private static func group(_ batch: RowBatch, _ layout: EntityLayout) -> ChangeGroup {
        let slots = layout.storedSlots.filter { batch.columns[$0] != nil }
        return ChangeGroup(
            entity: batch.entity, operation: .delete, primaryKeys: batch.primaryKeys,
            slots: slots.map(UInt16.init), old: slots.compactMap { batch.columns[$0] }
        ).withoutNullColumns
    }

    private func forEachRelated(
        _ batch: RowBatch, _ info: Slot, _ session: WriteSession, _ body: (ObjectKey, ObjectKey) -> Void
    ) throws {
        if info.isToOne {
            for row in 0..<batch.count {
                if case .reference(let key) = batch.value(at: row, slot: info.index) { body(batch.key(at: row), key) }
            }
            return
        }
        let owners = (0..<batch.count).map(batch.key(at:))
        for (owner, members) in zip(owners, try session.reader.members(of: owners, slot: info.index)) {
            for member in members { body(owner, member) }
        }
    }

    /// Rules and inverses of what stays, and the links that go.
    private func resolveEdges(_ session: WriteSession, _ updates: UpdateGroups) throws -> [LinkGroup] {
        var links = LinkRemovals(session.schema)
        for edge in edges {
            if edge.info.toMany?.hasLinks == true { links.remove(edge.owner, edge.related, edge.info) }
            if gone.contains(edge.related) { continue }
            if edge.info.deleteRule == .denyDeleteRule { throw denied(edge) }
            guard edge.info.deleteRule != .noActionDeleteRule, let inverse = edge.info.inverseSlot,
                let layout = session.schema.entity(edge.related.entity)?.layout
            else { continue }
            let info = layout.slots[inverse]
            if info.isTransient { continue }
            if info.isToMany {
                updates.touch(inverse, of: edge.related)
            } else {
                guard info.isOptional else { throw mandatory(edge, info) }
                updates.set(.null, inverse, of: edge.related, named: info)
            }
        }
        return links.groups
    }

    private func uri(_ key: ObjectKey) -> String {
        target.store.objectID(for: key)?.uriRepresentation().absoluteString ?? "\(key)"
    }

    private func denied(_ edge: Edge) -> NSError {
        CoreDataError.make(
            .validationRelationshipDeniedDelete,
            "\"\(edge.info.name)\" of \(uri(edge.owner)): "
                + CoreDataError.explanation(of: .validationRelationshipDeniedDelete),
            [NSValidationKeyErrorKey: edge.info.name])
    }

    private func mandatory(_ edge: Edge, _ inverse: Slot) -> NSError {
        CoreDataError.make(
            .validationMissingMandatoryProperty,
            "\(uri(edge.owner)) cannot be deleted: the mandatory \"\(inverse.name)\" of \(uri(edge.related)) leads to "
                + "it. Delete that object too, or let the delete rule of \"\(edge.info.name)\" cascade",
            [NSValidationKeyErrorKey: inverse.name])
    }
}

/// Links that go with their objects, told once from the canonical side of each relationship.
private struct LinkRemovals {
    private struct Table: Hashable {
        let entity: EntityNumber
        let slot: Int
    }

    private let schema: StoreSchema
    private(set) var groups: [LinkGroup] = []
    private var indexes: [Table: Int] = [:]
    private var told: [Set<Link>] = []

    init(_ schema: StoreSchema) { self.schema = schema }

    mutating func remove(_ owner: ObjectKey, _ related: ObjectKey, _ info: Slot) {
        guard let toMany = info.toMany else { return }
        var canonical = info
        var link = Link(source: owner, destination: related)
        if !toMany.isCanonical {
            guard let inverse = toMany.inverseSlot, let layout = schema.entity(related.entity)?.layout else { return }
            canonical = layout.slots[inverse]
            link = Link(source: related, destination: owner)
        }
        let table = Table(entity: schema.number(of: canonical.declaringEntity), slot: canonical.index)
        let index = indexes[table] ?? groups.count
        if index == groups.count {
            indexes[table] = index
            groups.append(LinkGroup(entity: table.entity, slot: UInt16(table.slot)))
            told.append([])
        }
        if told[index].insert(link).inserted { groups[index].removed.append(link) }
    }
}
