import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// A batch insert on its way into a change set.
struct BatchInsertion: ChangeComputation {
    private let target: BatchOperation.Target
    private let entity: NSEntityDescription
    private let duplicates: UniqueRows.Duplicates
    private var rows: BatchRows

    init(_ target: BatchOperation.Target, entity: NSEntityDescription, policy: Any) throws {
        self.target = target
        self.entity = entity
        switch (policy as? NSMergePolicy)?.mergeType {
        case .mergeByPropertyObjectTrumpMergePolicyType: duplicates = .change
        case .overwriteMergePolicyType: duplicates = .replace
        default: duplicates = .leaveOut
        }
        rows = try BatchRows(
            entity.layout, values: BatchValue(store: target.store, schema: target.engine.schema))
    }

    /// Takes all rows of the request, and holds them to the model's rules. Nothing is written yet.
    mutating func fill(from request: NSBatchInsertRequest) throws {
        if let dictionaries = request.objectsToInsert {
            for dictionary in dictionaries { try rows.append(dictionary) }
        } else if let handler = request.dictionaryHandler {
            while true {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { break }
                try rows.append(Self.swiftDictionary(dictionary))
            }
        } else if let handler = request.managedObjectHandler {
            while true {
                let object = NSManagedObject.make(entity.objectClass, entity: entity, insertInto: nil)
                if handler(object) { break }
                try rows.append(object)
            }
        } else if let handler = request.rowHandler {
            try rows.append(filledBy: handler)
        }
        let rules = ColumnRules(entity: entity.name ?? "?")
        for column in rows.columns.indices { try rules.check(rows.columns[column], rows.info(column)) }
    }

    private static func swiftDictionary(_ dictionary: NSMutableDictionary) -> [String: Any] {
        var result: [String: Any] = [:]
        for (key, value) in dictionary { result["\(key)"] = value }
        return result
    }

    /// Constraints are resolved, keys given.
    func changeSet(_ reader: TableReader) throws -> ComputedChanges {
        let schema = target.engine.schema
        let number = schema.number(of: entity)
        let root = schema.number(of: entity.layout.rootEntity)
        let settled = try UniqueRows(rows, duplicates: duplicates, reader: reader).resolved()
        var columns = settled.columns
        let count = settled.rowCount
        let first = try reader.nextPrimaryKeys(root: root, count: count).lowerBound
        placeInOrder(&columns, count, reader)
        let keys = (0..<Int64(count)).map { first + $0 }
        var changes = ChangeSet(model: target.engine.modelSequence)
        if count > 0 {
            changes.groups.append(
                ChangeGroup(
                    entity: number, operation: .insert, primaryKeys: keys,
                    slots: entity.layout.storedSlots.map(UInt16.init), new: columns
                ).withoutNullColumns)
        }
        changes.groups += settled.updates
        let inserted = keys.map { ObjectKey(entity: number, primaryKey: $0) }
        return ComputedChanges(changes, keys: inserted + settled.updatedKeys)
    }

    /// New members of ordered relationships come last, in the order of the rows.
    private func placeInOrder(_ columns: inout [Column], _ count: Int, _ reader: TableReader) {
        for (index, slot) in entity.layout.storedSlots.enumerated() {
            guard case .position(let toOne) = entity.layout.slots[slot].kind, let owner = rows.column(of: toOne)
            else { continue }
            reader.readPlaces(of: reader.schema.number(of: entity))
            var positions = Column(.integer)
            let base = OrderKeys.base(sequence: reader.sequence.rawValue)
            for row in 0..<count {
                positions.append(columns[owner].isNull(at: row) ? .null : .integer(base + Int64(row)))
            }
            columns[index] = positions
        }
    }
}

extension BatchRows {
    /// A row from an object that is in no context. What was set without being tracked counts where there is no default.
    mutating func append(_ object: NSManagedObject) throws {
        for slot in layout.relationshipSlots where object.changed.contains(slot) {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the object of a batch insert cannot have \"\(layout.slots[slot].name)\": give object IDs for to-one "
                    + "relationships in dictionaries or rows",
                [NSValidationKeyErrorKey: layout.slots[slot].name])
        }
        for column in columns.indices where info(column).attributeType != nil {
            let slot = layout.storedSlots[column]
            let isSet = !object.values.isUnset(slot)
            guard object.changed.contains(slot) || isSet && isNullByDefault(column) else { continue }
            columns[column].append(try AttributeCoding.stored(object.read(slot), info(column)))
        }
        endRow()
    }
}
