import FirnStore
import class FirnFoundation.NSExpression
import FirnFoundation
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A batch update on its way into a change set: columns of old and new values, one group for each concrete entity.
struct BatchUpdate: ChangeComputation {
    /// The new value of a property: a constant, or an expression.
    private enum Assignment {
        case constant(PropertyValue)
        /// Computed by SQL; the position among the computed ones.
        case computed(Int)
    }

    private let target: BatchOperation.Target
    private let entity: NSEntityDescription
    private let values: BatchValue
    private let validatesValues: Bool
    private var question = FetchSettings()
    /// By slot, ascending.
    private var assignments: [(slot: Int, assignment: Assignment)] = []
    private var computed: [NSExpressionDescription] = []

    init(_ target: BatchOperation.Target, _ request: NSBatchUpdateRequest, _ entity: NSEntityDescription) throws {
        self.target = target
        self.entity = entity
        values = BatchValue(store: target.store, schema: target.engine.schema)
        validatesValues = request.validatesValues
        question.entity = entity
        question.predicate = request.predicate
        question.includesSubentities = request.includesSubentities
        question = try question.resolvingFetches()
        for (key, value) in request.propertiesToUpdate ?? [:] { try assign(value, to: key) }
        guard !assignments.isEmpty else {
            throw failure("propertiesToUpdate is empty: name the properties to change and their new values")
        }
        assignments.sort { $0.slot < $1.slot }
    }

    private mutating func assign(_ value: Any, to key: AnyHashable) throws {
        let name: String
        switch key.base {
        case let text as String: name = text
        case let property as NSPropertyDescription: name = property.name
        default: throw failure("propertiesToUpdate has a key of type \(type(of: key.base)): use properties or names")
        }
        guard let slot = entity.layout.slot(named: name) else {
            throw failure("the entity \(entity.name ?? "?") has no property \"\(name)\"")
        }
        let info = entity.layout.slots[slot]
        guard info.isStored, !info.isPosition, !info.isDerived else {
            throw failure(
                info.isToMany
                    ? "the to-many relationship \"\(name)\" cannot be updated in a batch: change it on managed objects"
                    : "\"\(name)\" of \(entity.name ?? "?") has no value of its own in the store")
        }
        if let expression = value as? NSExpression, expression.expressionType != .constantValue {
            let description = NSExpressionDescription()
            description.name = "firn_value_\(computed.count)"
            description.expression = expression
            // Without a result type: what the value is not is to be an error, and not null.
            description.expressionResultType = .undefinedAttributeType
            assignments.append((slot, .computed(computed.count)))
            computed.append(description)
            return
        }
        let constant: Any? = if let expression = value as? NSExpression { expression.constantValue } else { value }
        let stored = try values.stored(constant, info)
        var column = Column(info.storage)
        column.append(stored)
        try validate(column, info)
        if case .toOne(let toOne) = info.kind, stored.isNull, toOne.inverseSlot != nil, !toOne.inverseIsToMany {
            throw failure("\"\(name)\" has a to-one inverse, which a batch request does not keep")
        }
        assignments.append((slot, .constant(stored)))
    }

    private func failure(_ message: String) -> NSError { CoreDataError.make(.persistentStoreOperation, message) }

    /// The rows as they are, and what becomes of them.
    func changeSet(_ reader: TableReader) throws -> ComputedChanges {
        let rows = try reader.rows(FetchPlan(rowQuestion, in: target.store.identity, schema: reader.schema))
        let results = try computedValues(reader)
        var made = ComputedChanges(ChangeSet(model: target.engine.modelSequence), keys: [])
        var position = OrderKeys.base(sequence: reader.sequence.rawValue)
        for batch in rows.batches {
            guard let layout = reader.schema.entity(batch.entity)?.layout else { continue }
            var group = ChangeGroup(entity: batch.entity, operation: .update, primaryKeys: batch.primaryKeys)
            for (slot, assignment) in assignments {
                let column = try column(assignment, layout.slots[slot], batch, results)
                add(column, slot, batch, to: &group)
                guard let place = layout.positionSlot(besides: slot) else { continue }
                add(positions(column, &position), place, batch, to: &group)
            }
            group.sortSlots()
            made.changes.groups.append(group)
            made.keys += batch.primaryKeys.map { ObjectKey(entity: batch.entity, primaryKey: $0) }
        }
        try checkConstraints(rows, made.changes.groups, reader)
        return made
    }

    /// Asks for the properties that change, and those whose constraints they are part of.
    private var rowQuestion: FetchSettings {
        var names: Set<String> = []
        for (slot, _) in assignments {
            names.insert(entity.layout.slots[slot].name)
            if let place = entity.layout.positionSlot(besides: slot) { names.insert(entity.layout.slots[place].name) }
        }
        for slot in touchedConstraints.flatMap(\.slots) { names.insert(entity.layout.slots[slot].name) }
        var question = question
        question.propertiesToFetch = Array(names)
        return question
    }

    private var touchedConstraints: [EntityLayout.UniquenessConstraint] {
        entity.layout.uniquenessConstraints.filter { constraint in
            assignments.contains { constraint.slots.contains($0.slot) }
        }
    }

    private func computedValues(_ reader: TableReader) throws -> [ObjectKey: [PropertyValue]] {
        guard !computed.isEmpty else { return [:] }
        var question = question
        question.resultType = .dictionaryResultType
        question.propertiesToFetch = ["objectID"] + computed as [Any]
        var result: [ObjectKey: [PropertyValue]] = [:]
        let plan = try FetchPlan(question, in: target.store.identity, schema: reader.schema)
        if plan.aggregatesRows {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "a batch update computes each object's values from the object alone: fetch the sum, or whatever "
                    + "aggregate of all objects it is, and set it as a constant")
        }
        for row in try reader.dictionaries(plan).rows {
            if case .reference(let key) = row[0] { result[key] = Array(row.dropFirst()) }
        }
        return result
    }

    private func column(
        _ assignment: Assignment, _ info: Slot, _ batch: RowBatch, _ results: [ObjectKey: [PropertyValue]]
    ) throws -> Column {
        var column = Column(info.storage)
        switch assignment {
        case .constant(let value):
            for _ in 0..<batch.count { column.append(value) }
        case .computed(let index):
            for row in 0..<batch.count {
                let result = try values.coerced(results[batch.key(at: row)]?[index] ?? .null, info)
                column.append(try target.store.inline(result, info))
            }
            try validate(column, info)
        }
        return column
    }

    private func validate(_ column: Column, _ info: Slot) throws {
        if validatesValues { try ColumnRules(entity: entity.name ?? "?").check(column, info) }
    }

    private func add(_ column: Column, _ slot: Int, _ batch: RowBatch, to group: inout ChangeGroup) {
        group.slots.append(UInt16(slot))
        group.new.append(column)
        group.old.append(batch.columns[slot] ?? column)
    }

    /// Objects that come into an ordered relationship come last.
    private func positions(_ owners: Column, _ next: inout Int64) -> Column {
        var column = Column(.integer)
        for row in 0..<owners.count {
            column.append(owners.isNull(at: row) ? .null : .integer(next))
            next += 1
        }
        return column
    }

    /// No two rows may have the same values under a constraint when all is done.
    private func checkConstraints(_ rows: FetchedRows, _ groups: [ChangeGroup], _ reader: TableReader) throws {
        let touched = touchedConstraints
        if touched.isEmpty { return }
        let changed = Set(
            groups.flatMap { group in group.primaryKeys.map { ObjectKey(entity: group.entity, primaryKey: $0) } })
        var claims: Set<UniqueClaim> = []
        for constraint in touched {
            for (batch, group) in zip(rows.batches, groups) {
                for row in 0..<batch.count {
                    let claim = UniqueClaim(constraint) { slot in
                        group.slots.firstIndex(of: UInt16(slot)).map { group.new[$0][row] }
                            ?? batch.value(at: row, slot: slot)
                    }
                    guard let claim else { continue }
                    guard claims.insert(claim).inserted,
                        try reader.owners(of: claim).allSatisfy(changed.contains)
                    else { throw violation(claim) }
                }
            }
        }
    }

    private func violation(_ claim: UniqueClaim) -> NSError {
        CoreDataError.make(
            .managedObjectConstraintMerge,
            "the batch update would give two objects of \(entity.name ?? "?") the same \(claim.text(entity.layout)), "
                + "which a uniqueness constraint forbids: give each a value of its own")
    }
}

extension ChangeGroup {
    /// Puts slots and their columns in ascending order.
    fileprivate mutating func sortSlots() {
        let order = slots.indices.sorted { slots[$0] < slots[$1] }
        (slots, new, old) = (order.map { slots[$0] }, order.map { new[$0] }, order.map { old[$0] })
    }
}
