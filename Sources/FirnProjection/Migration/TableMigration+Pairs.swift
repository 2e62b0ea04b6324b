internal import FirnLog
internal import FirnSQLite

/// Relationships whose members move to another column or table. Every old form is read as pairs of objects, and every
/// new form is filled from pairs:
///
///     src │ src_ent │ dst │ dst_ent │ src_ord │ dst_ord
///
/// `src_ord` is the position of `dst` among the members of `src`, `dst_ord` the other way round; null without an order.
extension TableMigration {
    /// Fills to-ones whose values were stored at the other side, or in links.
    func fillToOnes(_ entity: LogEntity) throws {
        let place = new.existingPlace(entity.number)
        guard let moved = migration.entity(entity.number) else { return }
        for property in moved.properties {
            let target = place.slots[Int(property.slot)]
            guard case .toOne = target.kind, let column = target.column,
                var pairs = pairs(property, of: entity.number), !isOwnColumn(property, of: entity.number)
            else { continue }
            if oneToOneOwners(property).isEmpty {
                try refuseAmbiguity(pairs, place, target)
            } else {
                // With `min`, SQLite returns the other columns of the row that has the minimum.
                pairs = "SELECT src, src_ent, min(dst) AS dst, dst_ent, src_ord, dst_ord FROM (\(pairs)) "
                    + "GROUP BY src, src_ent"
            }
            var sets = "\(quoted(column)) = p.dst"
            if let entityColumn = target.entityColumn { sets += ", \(quoted(entityColumn)) = p.dst_ent" }
            if let position = place.position(of: Int(property.slot)) {
                sets += ", \(quoted(position)) = p.dst_ord"
            }
            let table = quoted(place.tableName)
            try run(
                "UPDATE \(table) SET \(sets) FROM (\(pairs)) AS p "
                    + "WHERE \(table).Z_PK = p.src AND \(table).Z_ENT = ?1",
                [.integer(Int64(entity.number.rawValue))])
        }
    }

    private func isOwnColumn(_ property: PropertyMigration, of entity: EntityNumber) -> Bool {
        guard case .slot(let slot) = property.source, let place = old.place(entity) else { return false }
        if case .toOne = place.slots[Int(slot)].kind { return true }
        return false
    }

    /// A to-one holds one object. If the pairs name more, the migration is refused.
    private func refuseAmbiguity(_ pairs: String, _ place: EntityPlace, _ target: SlotPlace) throws {
        let found = try connection.integer(
            "SELECT src FROM (\(pairs)) GROUP BY src, src_ent HAVING count(DISTINCT dst) > 1 ORDER BY src LIMIT 1")
        if let found {
            throw ProjectionError(
                .migration,
                "\(place.name) \(found) is related to several objects, and \(target.name) has room for one; "
                    + "choose with a mapping model")
        }
    }

    func copyLinks(_ link: LinkTable) throws {
        let owners = new.existingPlace(link.property.entity).subtree
        let found = owners.compactMap { owner in
            migration.entity(owner)?.properties.first { Int($0.slot) == link.property.slot }.map { ($0, owner) }
        }
        var parts = found.compactMap { property, owner -> String? in
            if case .slot = property.source { pairs(property, of: owner) } else { nil }
        }
        // All pairs come from the other side, and they are the same for every owner.
        if parts.isEmpty { parts = found.lazy.compactMap { pairs($0, of: $1) }.prefix(1).map { $0 } }
        guard !parts.isEmpty else { return }
        let all = parts.joined(separator: " UNION ALL ")
        try refuseDanglingReferences(link, all)
        func order(_ column: String, _ owner: String, _ member: String) -> String {
            // Members without an order get that of their keys.
            "coalesce(\(column), row_number() OVER (PARTITION BY \(owner) ORDER BY \(member)) - 1)"
        }
        let values =
            ["src", "dst"] + (link.hasSourceEntity ? ["src_ent"] : [])
            + (link.hasDestinationEntity ? ["dst_ent"] : [])
            + (link.hasSourceOrder ? [order("src_ord", "src", "dst")] : [])
            + (link.hasDestinationOrder ? [order("dst_ord", "dst", "src")] : [])
        try connection.execute(
            "INSERT INTO \(quoted(link.name))(\(link.columns.joined(separator: ","))) "
                + "SELECT \(values.joined(separator: ",")) FROM (\(all)) ORDER BY src, dst")
    }

    private func refuseDanglingReferences(_ link: LinkTable, _ pairs: String) throws {
        let owner = new.existingPlace(link.property.entity)
        let reached = Set(new.existingPlace(link.destination).subtree)
        let unreachable = new.model.entities.map(\.number).filter { !reached.contains($0) }
        guard !unreachable.isEmpty else { return }
        try refuse(unreachable, among: pairs, owner, owner.slots[link.property.slot])
    }

    /// The pairs of a relationship in new terms, from the side of `entity`.
    private func pairs(_ property: PropertyMigration, of entity: EntityNumber) -> String? {
        switch property.source {
        case .none: nil
        case .slot(let slot): pairs(old: entity, Int(slot), owners: [entity])
        case .inverse(let other, let slot):
            pairs(old: other, Int(slot), owners: old.existingPlace(other).subtree).map { pairs in
                "SELECT dst AS src, dst_ent AS src_ent, src AS dst, src_ent AS dst_ent, "
                    + "dst_ord AS src_ord, src_ord AS dst_ord FROM (\(pairs))"
            }
        }
    }

    /// The pairs of an old relationship whose owners are of these entities.
    private func pairs(old entity: EntityNumber, _ slot: Int, owners: [EntityNumber]) -> String? {
        guard let place = old.place(entity) else { return nil }
        let relationship = place.slots[slot]
        let raw: String
        switch relationship.kind {
        case .toOne(let destination):
            guard let column = relationship.column else { return nil }
            let position = place.position(of: slot).map(quoted) ?? "NULL"
            raw =
                "SELECT Z_PK AS src, Z_ENT AS src_ent, \(quoted(column)) AS dst, "
                + "\(relationship.entityColumn.map(quoted) ?? String(destination.rawValue)) AS dst_ent, "
                + "NULL AS src_ord, \(position) AS dst_ord FROM \(oldTable(place.tableName)) "
                + "WHERE \(quoted(column)) IS NOT NULL"
        case .toMany(let destination, let inverse?, _, _):
            let far = old.existingPlace(destination)
            let toOne = far.slots[Int(inverse)]
            guard let column = toOne.column, case .toOne(let owner) = toOne.kind else { return nil }
            let position = far.position(of: Int(inverse)).map(quoted) ?? "NULL"
            raw =
                "SELECT \(quoted(column)) AS src, "
                + "\(toOne.entityColumn.map(quoted) ?? String(owner.rawValue)) AS src_ent, Z_PK AS dst, "
                + "Z_ENT AS dst_ent, \(position) AS src_ord, NULL AS dst_ord "
                + "FROM \(oldTable(far.tableName)) AS t0 WHERE \(quoted(column)) IS NOT NULL"
                + far.entityCondition("t0")
        case .toMany(_, nil, _, _):
            guard let link = relationship.link else { return nil }
            raw = linkPairs(old.links[link.table], isCanonical: link.isCanonical)
        case .attribute, .position, .transient: return nil
        }
        return moved(raw, owners: owners)
    }

    private func linkPairs(_ link: LinkTable, isCanonical: Bool) -> String {
        let source = link.hasSourceEntity ? "Z_SRC_ENT" : String(link.property.entity.rawValue)
        let destination = link.hasDestinationEntity ? "Z_DST_ENT" : String(link.destination.rawValue)
        let sourceOrder = link.hasSourceOrder ? "Z_SRC_ORD" : "NULL"
        let destinationOrder = link.hasDestinationOrder ? "Z_DST_ORD" : "NULL"
        let names = isCanonical ? ["src", "dst"] : ["dst", "src"]
        return "SELECT Z_SRC AS \(names[0]), \(source) AS \(names[0])_ent, Z_DST AS \(names[1]), "
            + "\(destination) AS \(names[1])_ent, \(sourceOrder) AS \(names[0])_ord, "
            + "\(destinationOrder) AS \(names[1])_ord FROM \(oldTable(link.name))"
    }

    /// Pairs with the keys of the new model, without those of removed entities.
    private func moved(_ raw: String, owners: [EntityNumber]) -> String {
        let kept = migration.entities ?? []
        let list = kept.map { String($0.entity.rawValue) }.joined(separator: ",")
        let own = owners.map { String($0.rawValue) }.joined(separator: ",")
        func key(_ side: String) -> String {
            let moves = kept.filter { $0.keyOffset != 0 }
            if moves.isEmpty { return side }
            let cases = moves.map { "WHEN \($0.entity.rawValue) THEN \($0.keyOffset)" }
            return "\(side) + CASE \(side)_ent \(cases.joined(separator: " ")) ELSE 0 END"
        }
        return "SELECT \(key("src")) AS src, src_ent, \(key("dst")) AS dst, dst_ent, src_ord, dst_ord "
            + "FROM (\(raw)) WHERE src_ent IN (\(own)) AND src_ent IN (\(list)) AND dst_ent IN (\(list))"
    }
}
