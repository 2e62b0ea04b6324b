import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// A batch delete on its way into a change set.
///
/// Deletion spreads in waves: the rows of a wave tell what their relationships lead to, and where the rule is cascade
/// that is the next wave. When all that goes is known, what stays is told of it.
struct BatchDeletion: ChangeComputation {
    /// A relationship from an object that goes to one that may stay.
    private struct Edge {
        let owner: ObjectKey
        let info: Slot
        let related: ObjectKey
    }

    private let target: BatchOperation.Target
    private let questions: [FetchSettings]

    /// The objects that a batch deletion was found to delete so far.
    private struct Spread {
        var gone: Set<ObjectKey> = []
        var keys: [ObjectKey] = []
        var edges: [Edge] = []
        var groups: [ChangeGroup] = []
    }

    /// Deletes what any of the requests finds.
    init(_ target: BatchOperation.Target, _ settings: [FetchSettings]) {
        self.target = target
        questions = settings.map { settings in
            var question = settings
            question.resultType = .managedObjectIDResultType
            return question
        }
    }

    func changeSet(_ reader: TableReader) throws -> ComputedChanges {
        var spread = Spread()
        var wave: [ObjectKey] = []
        for question in questions {
            let keys = try reader.keys(FetchPlan(question, in: target.store.identity, schema: reader.schema))
            wave += wave.isEmpty ? keys : keys.filter(Set(keys).subtracting(wave).contains)
        }
        while !wave.isEmpty { wave = try expand(wave, reader, &spread) }
        let updates = UpdateGroups(reader)
        let links = try resolveEdges(spread, reader, updates)
        let changes = ChangeSet(
            model: target.engine.modelSequence, groups: spread.groups + (try updates.groups()), links: links)
        return ComputedChanges(changes, keys: spread.keys)
    }

    /// Adds the rows of a wave; returns the next one.
    private func expand(
        _ wave: [ObjectKey], _ reader: TableReader, _ spread: inout Spread
    ) throws -> [ObjectKey] {
        spread.gone.formUnion(wave)
        var next: [ObjectKey] = []
        var waiting: Set<ObjectKey> = []
        for batch in try reader.rows(wave).batches {
            guard let layout = reader.schema.entity(batch.entity)?.layout else { continue }
            spread.keys += batch.primaryKeys.map { ObjectKey(entity: batch.entity, primaryKey: $0) }
            spread.groups.append(Self.group(batch, layout))
            for slot in layout.relationshipSlots where !layout.slots[slot].isTransient {
                let info = layout.slots[slot]
                try forEachRelated(batch, info, reader) { owner, related in
                    spread.edges.append(Edge(owner: owner, info: info, related: related))
                    if info.deleteRule == .cascadeDeleteRule, !spread.gone.contains(related),
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
        _ batch: RowBatch, _ info: Slot, _ reader: TableReader, _ body: (ObjectKey, ObjectKey) -> Void
    ) throws {
        if info.isToOne {
            for row in 0..<batch.count {
                if case .reference(let key) = batch.value(at: row, slot: info.index) { body(batch.key(at: row), key) }
            }
            return
        }
        let owners = (0..<batch.count).map(batch.key(at:))
        for (owner, members) in zip(owners, try reader.members(of: owners, slot: info.index)) {
            for member in members { body(owner, member) }
        }
    }

    /// Rules and inverses of what stays, and the links that go.
    private func resolveEdges(
        _ spread: Spread, _ reader: TableReader, _ updates: UpdateGroups
    ) throws -> [LinkGroup] {
        var links = LinkSets(reader.schema)
        for edge in spread.edges {
            if edge.info.toMany?.hasLinks == true {
                links.add(edge.owner, edge.related, edge.info)
                // Of a relationship that is its own inverse each side is a link of its own.
                let isOwnInverse = edge.info.relationship?.inverseRelationship === edge.info.relationship
                if isOwnInverse { links.add(edge.related, edge.owner, edge.info) }
            }
            if spread.gone.contains(edge.related) { continue }
            if edge.info.deleteRule == .denyDeleteRule { throw denied(edge) }
            guard edge.info.deleteRule != .noActionDeleteRule, let inverse = edge.info.inverseSlot,
                let layout = reader.schema.entity(edge.related.entity)?.layout
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
        return links.groups(\.removed)
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

extension NSManagedObjectContext {
    /// Deletes what several requests find, in one change set, without making objects. Delete rules apply as in
    /// `NSBatchDeleteRequest`; where one refuses, nothing is written.
    ///
    /// Gives the IDs of all objects that are deleted, by rules as well.
    /// - Complexity: the rows that are deleted are read once for the log, those that lose a relationship too.
    package func deleteObjects(of requests: [UntypedFetchRequest]) throws -> [NSManagedObjectID] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        return try BatchOperation(context: self, coordinator: coordinator).delete(requests)
    }
}

extension BatchOperation {
    fileprivate func delete(_ requests: [UntypedFetchRequest]) throws -> [NSManagedObjectID] {
        var targets: [Target] = []
        var questions: [ObjectIdentifier: [FetchSettings]] = [:]
        for request in requests {
            let question = try context.storeRequest(request)
            for target in try self.targets(of: request, question.entity) {
                if questions[ObjectIdentifier(target.store)] == nil { targets.append(target) }
                questions[ObjectIdentifier(target.store), default: []].append(question.settings)
            }
        }
        return try targets.flatMap { target in
            let deletion = BatchDeletion(target, questions[ObjectIdentifier(target.store)] ?? [])
            return ids(try write(target, deletion), target)
        }
    }
}
