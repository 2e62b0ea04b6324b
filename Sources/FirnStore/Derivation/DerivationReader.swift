import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Follows the paths of derived attributes, forth and back, through rows as a change set would leave them.
struct DerivationReader {
    private let schema: StoreSchema
    private let tables: ChangedRows
    private let rootKey: (ObjectKey) -> ObjectKey

    /// With an empty change set: through the rows as they are.
    init(_ reader: TableReader, after changes: ChangeSet) {
        schema = reader.schema
        tables = ChangedRows(reader, changes)
        rootKey = reader.rootKey
    }

    /// The rows of these objects, each with the key that was asked for. One that has none is left out.
    func rows(_ keys: [ObjectKey]) throws -> [(key: ObjectKey, row: ChangedRow)] { try tables.rows(keys) }

    /// The value of a path for one object.
    func value(_ path: DerivationPath, _ owner: ChangedRow) throws -> Any? {
        var rows = [owner]
        if !path.steps.isEmpty {
            var keys: [ObjectKey] = []
            for (index, step) in path.steps.enumerated() {
                if index > 0 { rows = try self.rows(keys).map(\.row) }
                keys = try related(rows, step.slot, isToOne: step.isToOne)
            }
            guard path.attribute != nil else { return keys.count }
            rows = try self.rows(keys).map(\.row)
        }
        guard let attribute = path.attribute else { return nil }
        let values = rows.compactMap { ValueCoding.any($0.value(attribute.index), attribute) }
        return path.function.map { $0.value(values) } ?? values.first
    }

    /// The objects from which the path leads to one of `keys`.
    func owners(_ dependent: DerivationPlan.Dependent, _ keys: [ObjectKey]) throws -> [ObjectKey] {
        var keys = keys
        for step in dependent.path.steps[..<dependent.depth].reversed() {
            guard let inverse = step.inverse else { return [] }
            let info = step.destination.slots[inverse]
            keys =
                info.isToOne ? destinations(of: try rows(keys).map(\.row), inverse) : try tables.members(of: keys, info)
        }
        return keys
    }

    /// The destinations of a relationship of these objects, each object once.
    private func related(_ rows: [ChangedRow], _ slot: Int, isToOne: Bool) throws -> [ObjectKey] {
        if isToOne { return destinations(of: rows, slot) }
        guard let first = rows.first, let layout = schema.entity(first.key.entity)?.layout else { return [] }
        return try tables.members(of: rows.map(\.key), layout.slots[slot])
    }

    private func destinations(of rows: [ChangedRow], _ slot: Int) -> [ObjectKey] {
        var result: [ObjectKey] = []
        var seen: Set<ObjectKey> = []
        for row in rows {
            if case .reference(let key) = row.value(slot), seen.insert(rootKey(key)).inserted { result.append(key) }
        }
        return result
    }
}
