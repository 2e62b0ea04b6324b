internal import FirnLog

/// The numbers added to the primary keys of entities that move into another hierarchy, where their keys may be in use.
///
/// The keys of the root's own old hierarchy stay; for a new root, those of the old hierarchy with the lowest number.
/// The other hierarchies' keys follow, one hierarchy after the other. Assigned keys that were never used count too.
struct KeyOffsets {
    private var offsets: [EntityNumber: Int64] = [:]

    /// Throws `noKeysLeft` if the keys of merged hierarchies do not fit into one.
    init(_ old: TableLayout, _ new: TableLayout, lastKeys: [EntityNumber: Int64]) throws {
        var members: [EntityNumber: [EntityNumber]] = [:]
        for case let place? in new.places where old.place(place.number) != nil {
            members[place.root, default: []].append(place.number)
        }
        for (root, members) in members {
            let groups = Dictionary(grouping: members) { old.existingPlace($0).root }
            let own = old.place(root)?.root
            var offset: Int64 = 0
            for group in groups.keys.sorted(by: { ($0 == own ? 0 : 1, $0) < ($1 == own ? 0 : 1, $1) }) {
                for member in groups[group] ?? [] { offsets[member] = offset }
                let (end, isTooLarge) = offset.addingReportingOverflow(lastKeys[group] ?? 0)
                guard !isTooLarge else {
                    throw ProjectionError(
                        .noKeysLeft,
                        "entity \(root) of the new model has not enough primary keys for the objects that come into "
                            + "its hierarchy: their last key is \(lastKeys[group] ?? 0)")
                }
                offset = end
            }
        }
    }

    subscript(entity: EntityNumber) -> Int64 { offsets[entity] ?? 0 }
}
