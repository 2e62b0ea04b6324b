internal import FirnLog
internal import FirnSQLite

/// A to-one relationship that gets a to-one inverse while several objects refer to one. The object with the lowest key
/// keeps its reference; the others' references become null.
extension TableMigration {
    /// Where a new to-one is filled from an old to-one that becomes its inverse: the owners' entities, and the new slot
    /// of the relationship there. Empty for every other property.
    func oneToOneOwners(_ property: PropertyMigration) -> [(entity: EntityNumber, slot: SlotPlace)] {
        guard case .inverse(let other, let slot) = property.source,
            case .toOne = old.existingPlace(other).slots[Int(slot)].kind
        else { return [] }
        return old.existingPlace(other).subtree.compactMap { owner in
            guard let place = new.place(owner),
                let moved = migration.entity(owner)?.properties.first(where: { $0.source == .slot(slot) }),
                case .toOne = place.slots[Int(moved.slot)].kind
            else { return nil }
            return (owner, place.slots[Int(moved.slot)])
        }
    }

    /// Ends the relationships that were not kept, and returns a message for each.
    func detachSurplusOwners(_ entity: LogEntity) throws -> [String] {
        guard let moved = migration.entity(entity.number) else { return [] }
        let place = new.existingPlace(entity.number)
        var notes: [String] = []
        for property in moved.properties {
            guard let column = place.slots[Int(property.slot)].column else { continue }
            for (number, slot) in oneToOneOwners(property) {
                notes += try detach(new.existingPlace(number), slot, from: place, column)
            }
        }
        return notes
    }

    private func detach(
        _ owner: EntityPlace, _ slot: SlotPlace, from place: EntityPlace, _ back: String
    ) throws -> [String] {
        guard let column = slot.column.map(quoted) else { return [] }
        let entity = slot.entityColumn.map { "a.\(quoted($0))" }
        let isSurplus = "a.Z_ENT = \(owner.number.rawValue) AND a.\(column) = b.Z_PK "
            + "AND b.Z_ENT = \(place.number.rawValue) AND b.\(quoted(back)) IS NOT a.Z_PK"
            + (entity.map { " AND \($0) = b.Z_ENT" } ?? "")
        let (owners, others) = (quoted(owner.tableName), quoted(place.tableName))
        let sql = "SELECT b.Z_PK, b.\(quoted(back)), a.Z_PK FROM \(owners) AS a, \(others) AS b WHERE \(isSurplus) "
            + "ORDER BY 1, 3"
        var found: [(object: Int64, kept: Int64, ended: Int64)] = []
        try connection.withStatement(sql) { statement in
            while try statement.step() {
                found.append((statement.integer(0), statement.integer(1), statement.integer(2)))
            }
        }
        if found.isEmpty { return [] }
        var sets = "\(column) = NULL"
        if let entityColumn = slot.entityColumn { sets += ", \(quoted(entityColumn)) = NULL" }
        try connection.execute(
            "UPDATE \(owners) SET \(sets) WHERE Z_PK IN (SELECT a.Z_PK FROM \(owners) AS a, \(others) AS b "
                + "WHERE \(isSurplus))")
        return found.map { object, kept, ended in
            "\(owner.name) \(ended) does not lead to \(place.name) \(object) by \(slot.name) any more: "
                + "the relationship is one to one now, and \(kept) was kept"
        }
    }
}
