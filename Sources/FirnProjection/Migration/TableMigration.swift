internal import FirnLog
internal import FirnSQLite

/// Fills the tables of a new model from those of the old one, as the log's migration record describes.
///
/// It runs inside a transaction on one connection that has both. A rebuild has renamed the old tables; a migration of a
/// store has attached the old file. The new tables exist and are empty.
///
///     rows        INSERT … SELECT, one statement for each entity that has a past
///     to-ones     stored at the other side before: UPDATE … FROM the pairs
///     links       INSERT … SELECT from the pairs
///     keys        the last key of each root, so that none is reused
struct TableMigration {
    let connection: Connection
    let old: TableLayout
    let new: TableLayout
    let migration: LogMigration
    /// The name of an old table in SQL.
    let oldTable: (String) -> String
    /// Hears how much is done, from 0 to 1.
    var progress: ((Double) -> Void)?

    /// Returns the decisions that were made because the new model cannot hold all of the old data.
    @discardableResult
    func run() throws -> [String] {
        var notes: [String] = []
        if migration.rows == nil {
            try refuseAbstractRows()
            let entities = migration.entities ?? []
            for (index, entity) in entities.enumerated() {
                try copyRows(entity)
                progress?(Double(index + 1) / Double(entities.count + 1))
            }
            for entity in new.model.entities { try fillToOnes(entity) }
            for entity in new.model.entities { notes += try detachSurplusOwners(entity) }
            for link in new.links { try copyLinks(link) }
        }
        try copyKeys()
        progress?(1)
        return notes
    }

    /// Rows of an entity keep their key, plus an offset if needed, and the sequence number of their last change.
    private func copyRows(_ moved: EntityMigration) throws {
        guard let from = old.place(moved.entity), let to = new.place(moved.entity) else { return }
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values = ["Z_PK + ?1", "Z_ENT", "Z_OPT"]
        var parameters: [PropertyValue] = [
            .integer(moved.keyOffset), .integer(Int64(moved.entity.rawValue)),
        ]
        for property in moved.properties {
            let target = to.slots[Int(property.slot)]
            guard let column = target.column, let sql = try value(property, from, target) else { continue }
            names.append(quoted(column))
            if property.fallback.isNull {
                values.append(sql.key)
            } else {
                parameters.append(property.fallback)
                values.append("coalesce(\(sql.key), ?\(parameters.count))")
            }
            if let entityColumn = target.entityColumn {
                names.append(quoted(entityColumn))
                values.append(sql.entity)
            }
        }
        let sql =
            "INSERT INTO \(quoted(to.tableName))(\(names.joined(separator: ","))) "
            + "SELECT \(values.joined(separator: ",")) FROM \(oldTable(from.tableName)) WHERE Z_ENT = ?2 ORDER BY Z_PK"
        try run(sql, parameters)
    }

    /// SQL for the old value of a column, and for the entity column of a reference; nil if the rows do not hold it.
    private func value(
        _ property: PropertyMigration, _ from: EntityPlace, _ target: SlotPlace
    ) throws -> ReferenceSQL? {
        guard case .slot(let slot) = property.source else {
            return property.fallback.isNull ? nil : ReferenceSQL(key: "NULL", entity: "NULL")
        }
        let source = from.slots[Int(slot)]
        guard let column = source.column else { return nil }
        switch (source.kind, target.kind) {
        case (.toOne(let destination), .toOne(let now)):
            try refuseDanglingReferences(from, source, column, destination, now)
            return reference(
                key: quoted(column), entity: source.entityColumn.map(quoted), destination)
        case (.toOne, _), (_, .toOne): return nil
        default: return ReferenceSQL(key: try converted(source, column, to: target, from), entity: "NULL")
        }
    }

    /// SQL for an old reference in terms of the new model: null if the object's entity was removed.
    func reference(key: String, entity: String?, _ destination: EntityNumber) -> ReferenceSQL {
        let subtree = old.existingPlace(destination).subtree
        let kept = subtree.compactMap { number in new.place(number).map { _ in number } }
        func moved(_ number: EntityNumber) -> String {
            let offset = migration.entity(number)?.keyOffset ?? 0
            return offset == 0 ? key : "\(key) + \(offset)"
        }
        guard let entity else {
            guard let number = kept.first else { return ReferenceSQL(key: "NULL", entity: "NULL") }
            return ReferenceSQL(
                key: moved(number), entity: "CASE WHEN \(key) IS NOT NULL THEN \(number.rawValue) END")
        }
        if kept.count == subtree.count, kept.allSatisfy({ moved($0) == key }) {
            return ReferenceSQL(key: key, entity: entity)
        }
        if kept.isEmpty { return ReferenceSQL(key: "NULL", entity: "NULL") }
        let keys = kept.map { "WHEN \($0.rawValue) THEN \(moved($0))" }.joined(separator: " ")
        let entities = kept.map { "WHEN \($0.rawValue) THEN \($0.rawValue)" }.joined(separator: " ")
        return ReferenceSQL(
            key: "CASE \(entity) \(keys) END", entity: "CASE \(entity) \(entities) END")
    }

    /// Refuses references to objects that moved out of the relationship's destination.
    private func refuseDanglingReferences(
        _ from: EntityPlace, _ source: SlotPlace, _ column: String, _ then: EntityNumber, _ now: EntityNumber
    ) throws {
        let unreachable = unreachableEntities(from: then, to: now)
        guard !unreachable.isEmpty else { return }
        let entity = source.entityColumn.map(quoted) ?? String(then.rawValue)
        try refuse(
            unreachable,
            among: "SELECT Z_PK AS src, \(entity) AS dst_ent FROM \(oldTable(from.tableName)) "
                + "WHERE Z_ENT = \(from.number.rawValue) AND \(quoted(column)) IS NOT NULL", from, source)
    }

    /// Entities that a relationship led to, that still exist, and that are no longer within its destination.
    func unreachableEntities(from then: EntityNumber, to now: EntityNumber) -> [EntityNumber] {
        let reached = Set(new.existingPlace(now).subtree)
        return old.existingPlace(then).subtree.filter { new.place($0) != nil && !reached.contains($0) }
    }

    func refuse(
        _ unreachable: [EntityNumber], among pairs: String, _ owner: EntityPlace, _ relationship: SlotPlace
    ) throws {
        let list = unreachable.map { String($0.rawValue) }.joined(separator: ",")
        let found = try connection.integer(
            "SELECT src FROM (\(pairs)) WHERE dst_ent IN (\(list)) ORDER BY src LIMIT 1")
        guard let found else { return }
        let names = unreachable.compactMap { new.place($0)?.name }.joined(separator: ", ")
        throw ProjectionError(
            .migration,
            "\(owner.name) \(found) is related by \(relationship.name) to an object of \(names), which the "
                + "relationship does not lead to in the new model; change it first, or map it with a mapping model")
    }

    private func copyKeys() throws {
        for case let place? in new.places {
            guard let before = old.place(place.number) else { continue }
            try run(
                "INSERT INTO firn_keys(root, last) SELECT ?1, last + ?2 FROM \(oldTable("firn_keys")) "
                    + "WHERE root = ?3 ON CONFLICT(root) DO UPDATE SET last = max(last, excluded.last)",
                [
                    .integer(Int64(place.root.rawValue)),
                    .integer(migration.entity(place.number)?.keyOffset ?? 0),
                    .integer(Int64(before.root.rawValue)),
                ])
        }
    }

    /// Objects of an entity that becomes abstract would have no entity.
    private func refuseAbstractRows() throws {
        for case let from? in old.places where new.place(from.number) != nil {
            guard migration.entity(from.number) == nil else { continue }
            let count = try connection.withStatement(
                "SELECT count(*) FROM \(oldTable(from.tableName)) WHERE Z_ENT = ?1"
            ) { statement in
                try statement.bind(Int64(from.number.rawValue), at: 1)
                return try statement.step() ? statement.integer(0) : 0
            }
            if count > 0 {
                throw ProjectionError(
                    .migration, "\(count) objects of \(from.name) would be of an abstract entity; delete "
                        + "them first, or map them with a mapping model")
            }
        }
    }

    func run(_ sql: String, _ parameters: [PropertyValue]) throws {
        try connection.withStatement(sql) { statement in
            for (index, value) in parameters.enumerated() {
                try statement.bind(value, at: Int32(index + 1))
            }
            try statement.run()
        }
    }
}

/// SQL for the key of a reference, and for the number of its entity.
struct ReferenceSQL {
    var key: String
    var entity: String
}
