internal import FirnLog

/// The slots in the result columns of a SELECT, for an entity and those below it.
///
///     result   0     1      2      3 …
///              Z_PK  Z_ENT  Z_OPT  columns of the properties, those of subentities too
final class RowShape: Sendable {
    /// Where one slot's values are in the result.
    struct Source: Sendable {
        var slot: Int
        var type: StorageType
        var column: Int32
        var entityColumn: Int32?
        var destination: EntityNumber
    }

    struct Entity: Sendable {
        var slotCount: Int
        var sources: [Source]
    }

    /// The expressions of the SELECT, with the table under the name `t0`.
    let selectList: String
    /// By entity number.
    let entities: [Entity?]

    /// `names` limits what is read to properties of these names; nil reads everything.
    init(
        _ place: EntityPlace, places: [EntityPlace?], entities numbers: [EntityNumber]? = nil,
        only names: Set<String>? = nil
    ) {
        var list = ["t0.Z_PK", "t0.Z_ENT", "t0.Z_OPT"]
        var positions: [String: Int32] = [:]
        func position(of column: String) -> Int32 {
            if let known = positions[column] { return known }
            let made = Int32(list.count)
            list.append("t0." + quoted(column))
            positions[column] = made
            return made
        }
        let numbers = numbers ?? place.subtree
        var entities = [Entity?](
            repeating: nil, count: Int(numbers.map(\.rawValue).max() ?? 0) + 1)
        for number in numbers {
            guard let entity = places[Int(number.rawValue)] else { continue }
            var sources: [Source] = []
            for slot in entity.storedSlots {
                let stored = entity.slots[slot]
                guard let column = stored.column, names?.contains(stored.name) ?? true else {
                    continue
                }
                sources.append(
                    Source(
                        slot: slot, type: stored.storage, column: position(of: column),
                        entityColumn: stored.entityColumn.map(position),
                        destination: stored.destination ?? EntityNumber(0)))
            }
            entities[Int(number.rawValue)] = Entity(
                slotCount: entity.slots.count, sources: sources)
        }
        self.entities = entities
        selectList = list.joined(separator: ",")
    }
}
