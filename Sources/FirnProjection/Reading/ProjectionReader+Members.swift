package import FirnLog
internal import FirnSQLite

extension ProjectionReader {
    /// The members of a to-many relationship: in their order if it is ordered, else by key.
    package func members(of owner: ObjectKey, slot: Int) throws -> [ObjectKey] {
        let query = memberQuery(owner.entity, slot)
        let order = query.order.joined(separator: ", ")
        let sql = "SELECT \(query.key), \(query.entity) FROM \(query.table) AS t0 "
            + "WHERE \(query.owner)=?1\(query.condition) ORDER BY \(order)"
        return try traced(sql) { statement in
            try statement.bind(owner.primaryKey, at: 1)
            return try statement.objectKeys()
        }
    }

    /// The members for several owners of one root entity at once, parallel to `owners`.
    package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
        var members = [[ObjectKey]](repeating: [], count: owners.count)
        guard let first = owners.first else { return members }
        let query = memberQuery(first.entity, slot)
        // Lists in the order of keys are sorted here, since they mostly are sorted. SQLite would sort the rows of all
        // owners together.
        let isByKey = query.order == [query.key]
        let sql = "SELECT \(query.key), \(query.entity), v.rowid FROM firn_values(?1) AS v "
            + "CROSS JOIN \(query.table) AS t0 ON \(query.owner)=v.value\(query.condition)"
            + (isByKey ? "" : " ORDER BY v.rowid, " + query.order.joined(separator: ", "))
        try traced(sql) { statement in
            try statement.bind(ValueList(owners.map(\.primaryKey)), at: 1)
            while try statement.step() {
                members[Int(statement.integer(2))].append(
                    ObjectKey(
                        entity: EntityNumber(stored: statement.integer(1)),
                        primaryKey: statement.integer(0)))
            }
        }
        guard isByKey else { return members }
        for index in members.indices {
            let list = members[index]
            if zip(list, list.dropFirst()).allSatisfy({ $0.primaryKey <= $1.primaryKey }) { continue }
            members[index].sort { $0.primaryKey < $1.primaryKey }
        }
        return members
    }

    /// A link between the same objects as `link`, with the positions that it has; nil if there is none.
    package func link(_ link: Link, of group: LinkGroup) throws -> Link? {
        let table = try layout.linkTable(of: group)
        let orders =
            (table.hasSourceOrder ? "Z_SRC_ORD" : "0") + "," + (table.hasDestinationOrder ? "Z_DST_ORD" : "0")
        let sql = "SELECT \(orders) FROM \(quoted(table.name)) WHERE Z_SRC=?1 AND Z_DST=?2"
        return try connection.withStatement(sql) { statement in
            try statement.bind(link.source.primaryKey, at: 1)
            try statement.bind(link.destination.primaryKey, at: 2)
            guard try statement.step() else { return nil }
            return Link(
                source: link.source, destination: link.destination, sourceOrder: statement.integer(0),
                destinationOrder: statement.integer(1))
        }
    }

    private func memberQuery(_ entity: EntityNumber, _ slot: Int) -> MemberQuery {
        let place = layout.existingPlace(entity)
        let relationship = place.slots[slot]
        guard case .toMany(let destination, let inverse, let isOrdered, _) = relationship.kind else {
            fatalError("\(place.name).\(relationship.name) is not a to-many relationship")
        }
        if let inverse { return layout.query(destination, inverse: Int(inverse), isOrdered: isOrdered) }
        if let link = relationship.link { return layout.query(link, destination: destination, owner: place) }
        fatalError("\(place.name).\(relationship.name) has no inverse and no link table")
    }
}

/// The parts of a query for members.
struct MemberQuery {
    var table: String
    var key: String
    var entity: String
    var owner: String
    var condition: String
    var order: [String]
}

extension TableLayout {
    /// Members are rows whose to-one is the owner.
    func query(_ destination: EntityNumber, inverse: Int, isOrdered: Bool) -> MemberQuery {
        let place = existingPlace(destination)
        guard let column = place.slots[inverse].column else {
            fatalError("\(place.name).\(place.slots[inverse].name) has no column")
        }
        var order = ["t0.Z_PK"]
        if isOrdered, let position = place.position(of: inverse) {
            order.insert("t0." + quoted(position), at: 0)
        }
        // If all rows are of one entity, the index covers the query.
        let isOne = place.isWholeTable && place.subtree.count == 1
        return MemberQuery(
            table: quoted(place.tableName), key: "t0.Z_PK", entity: isOne ? String(destination.rawValue) : "t0.Z_ENT",
            owner: "t0." + quoted(column), condition: place.entityCondition("t0"), order: order)
    }

    /// Members are in a link table.
    func query(_ link: LinkPlace, destination: EntityNumber, owner: EntityPlace) -> MemberQuery {
        let table = links[link.table]
        let (near, far) = link.isCanonical ? ("SRC", "DST") : ("DST", "SRC")
        let hasEntity = link.isCanonical ? table.hasDestinationEntity : table.hasSourceEntity
        let hasOrder = link.isCanonical ? table.hasSourceOrder : table.hasDestinationOrder
        let fixed = link.isCanonical ? destination : table.property.entity
        return MemberQuery(
            table: quoted(table.name), key: "t0.Z_\(far)",
            entity: hasEntity ? "t0.Z_\(far)_ENT" : String(fixed.rawValue),
            owner: "t0.Z_\(near)", condition: "",
            order: (hasOrder ? ["t0.Z_\(near)_ORD"] : []) + ["t0.Z_\(far)"])
    }
}

extension EntityPlace {
    /// The column of the position in the ordered relationship whose inverse is the to-one at `toOne`.
    func position(of toOne: Int) -> String? {
        for slot in slots {
            if case .position(let owner) = slot.kind, Int(owner) == toOne { return slot.column }
        }
        return nil
    }
}
