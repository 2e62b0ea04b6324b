import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Follows the paths of derived attributes in a store's tables, forth and back.
struct DerivationReader {
    private let reader: ProjectionReader

    init(_ reader: ProjectionReader) { self.reader = reader }

    /// The rows of these objects, each with the key that was asked for. One that has none is left out.
    func rows(_ keys: [ObjectKey]) throws -> [(key: ObjectKey, row: Snapshot)] {
        let found = try reader.rows(keys)
        var rows: [Int64: [Snapshot]] = [:]
        for index in 0..<found.count {
            let (batch, row) = found[index]
            rows[batch.primaryKeys[row], default: []].append(Snapshot(batch: batch, row: row))
        }
        return keys.compactMap { key in
            // Objects of different hierarchies may have the same number, and a key may name a superentity.
            let row = rows[key.primaryKey]?.first { $0.key == key || root($0.key) == root(key) }
            return row.map { (key, $0) }
        }
    }

    private func root(_ key: ObjectKey) -> EntityNumber { reader.layout.existingPlace(key.entity).root }

    /// The value of a path for one object.
    func value(_ path: DerivationPath, _ owner: Snapshot) throws -> Any? {
        var rows = [owner]
        if !path.steps.isEmpty {
            var keys = [owner.key]
            for step in path.steps { keys = try related(keys, step.slot, isToOne: step.isToOne) }
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
            keys = try related(keys, inverse, isToOne: step.destination.slots[inverse].isToOne)
        }
        return keys
    }

    /// What a relationship of these objects leads to, each object once.
    private func related(_ keys: [ObjectKey], _ slot: Int, isToOne: Bool) throws -> [ObjectKey] {
        var result: [ObjectKey] = []
        var seen: Set<ObjectKey> = []
        if isToOne {
            for (_, row) in try rows(keys) {
                if case .reference(let key) = row.value(slot), seen.insert(key).inserted { result.append(key) }
            }
        } else if !keys.isEmpty {
            for members in try reader.members(of: keys, slot: slot) {
                for key in members where seen.insert(key).inserted { result.append(key) }
            }
        }
        return result
    }
}
