package import FirnLog
internal import FirnSQLite

/// Reads from one snapshot of a projection. Valid during the call that hands it out.
package final class ProjectionReader {
    let connection: Connection
    package let layout: TableLayout
    /// Set for a reader of an older state than the tables' newest.
    let sequence: SequenceNumber?

    init(_ connection: Connection, layout: TableLayout, at sequence: SequenceNumber? = nil) {
        self.connection = connection
        self.layout = layout
        self.sequence = sequence
    }

    /// The last record that this snapshot has applied.
    package var checkpoint: SequenceNumber {
        get throws {
            if let sequence { return sequence }
            return SequenceNumber(
                stored: try connection.integer("SELECT checkpoint FROM firn_store") ?? 0)
        }
    }

    /// The row of one object; nil if there is none. The key may name a superentity of the object's own.
    package func row(_ key: ObjectKey) throws -> (batch: RowBatch, row: Int)? {
        let shape = layout.shape(key.entity)
        let place = layout.existingPlace(key.entity)
        let sql = "SELECT \(shape.selectList) FROM \(quoted(place.tableName)) AS t0 WHERE t0.Z_PK=?1"
            + place.entityCondition("t0")
        return try traced(sql) { statement in
            try statement.bind(key.primaryKey, at: 1)
            let rows = try shape.firstRow(statement)
            return rows.count == 0 ? nil : rows[0]
        }
    }

    /// A value of an object; nil if there is no such object.
    package func value(of key: ObjectKey, slot: Int) throws -> PropertyValue? {
        try row(key).map { $0.batch.value(at: $0.row, slot: slot) }
    }

    /// The rows of objects of any entities, each in the order of `keys` within its root entity. A key without a row
    /// is left out.
    package func rows(_ keys: [ObjectKey]) throws -> FetchedRows {
        var batches: [RowBatch] = []
        var order: [FetchedRows.Place] = []
        for group in layout.byRoot(keys) {
            let place = layout.existingPlace(group.root)
            let shape = layout.shape(group.root)
            let sql = "SELECT \(shape.selectList) FROM firn_values(?1) AS v "
                + "CROSS JOIN \(quoted(place.tableName)) AS t0 ON t0.Z_PK = v.value ORDER BY v.rowid"
            let rows = try traced(sql) { statement in
                try statement.bind(ValueList(group.primaryKeys), at: 1)
                var collector = RowCollector(shape)
                try collector.collect(statement)
                return collector.finish()
            }
            for index in 0..<rows.count {
                var place = rows.place(index)
                place.batch += Int32(batches.count)
                order.append(place)
            }
            batches += rows.batches
        }
        return FetchedRows(batches: batches, order: order)
    }

    /// `Z_OPT` of each key; nil for one without a row.
    package func versions(of keys: [ObjectKey]) throws -> [Int64?] {
        var versions = [Int64?](repeating: nil, count: keys.count)
        for group in layout.byRoot(keys) {
            let table = quoted(layout.existingPlace(group.root).tableName)
            let sql = "SELECT v.rowid, t0.Z_OPT FROM firn_values(?1) AS v "
                + "CROSS JOIN \(table) AS t0 ON t0.Z_PK = v.value"
            try connection.withStatement(sql) { statement in
                try statement.bind(ValueList(group.primaryKeys), at: 1)
                while try statement.step() {
                    versions[group.indexes[Int(statement.integer(0))]] = statement.integer(1)
                }
            }
        }
        return versions
    }

    /// The objects of `entity`, or of one below it, that have the values of each claim, to check a uniqueness
    /// constraint. A null matches nulls.
    package func keys(of entity: EntityNumber, slots: [Int], claims: [[PropertyValue]]) throws -> [[ObjectKey]] {
        let place = layout.existingPlace(entity)
        var conditions: [String] = []
        for (index, slot) in slots.enumerated() {
            let stored = place.slots[slot]
            guard let column = stored.column else {
                fatalError("\(place.name).\(stored.name) has no column to look values up in")
            }
            conditions.append(
                "t0.\(quoted(column)) IS ?\(index + 1)"
                    + (stored.isDecimal ? " COLLATE firn_decimal" : ""))
        }
        let sql = "SELECT t0.Z_PK, t0.Z_ENT FROM \(quoted(place.tableName)) AS t0 WHERE "
            + conditions.joined(separator: " AND ") + place.entityCondition("t0")
        return try connection.withStatement(sql) { statement in
            try claims.map { values in
                guard slots.count == values.count else { fatalError("give one value for each slot") }
                statement.reset()
                for (index, value) in values.enumerated() {
                    try statement.bind(value, at: Int32(index + 1))
                }
                return try statement.objectKeys()
            }
        }
    }
}

extension EntityPlace {
    /// ` AND t0.Z_ENT IN (…)`, or nothing where the whole table is meant.
    func entityCondition(_ alias: String) -> String {
        if isWholeTable { return "" }
        let numbers = subtree.map { String($0.rawValue) }.joined(separator: ",")
        return subtree.count == 1
            ? " AND \(alias).Z_ENT=\(numbers)" : " AND \(alias).Z_ENT IN (\(numbers))"
    }
}

extension Statement {
    /// All rows as keys: primary key, entity.
    func objectKeys(_ monitor: FetchMonitor? = nil) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        _ = try appendKeys(to: &keys, upTo: .max, monitor)
        return keys
    }

    /// Appends the rows that are left, `countMax` of them at most. Returns whether it reached the end.
    func appendKeys(
        to keys: inout [ObjectKey], upTo countMax: Int, _ monitor: FetchMonitor? = nil
    ) throws -> Bool {
        var count = 0
        while count < countMax {
            guard try step() else { return true }
            count += 1
            monitor?.rowRead()
            keys.append(
                ObjectKey(entity: EntityNumber(stored: integer(1)), primaryKey: integer(0)))
        }
        return false
    }

    /// Binds a value in its stored form.
    func bind(_ value: PropertyValue, at parameter: Int32) throws { try bind(SQLiteValue(value), at: parameter) }
}

extension TableLayout {
    struct RootGroup {
        var root: EntityNumber
        var primaryKeys: [Int64] = []
        /// Where each key was in the list that was grouped.
        var indexes: [Int] = []
    }

    /// `keys` by root entity, in the order in which the roots occur.
    func byRoot(_ keys: [ObjectKey]) -> [RootGroup] {
        var groups: [RootGroup] = []
        var groupOfRoot: [EntityNumber: Int] = [:]
        // Mostly they are all of one entity.
        var last: (entity: EntityNumber, group: Int)?
        for (index, key) in keys.enumerated() {
            if let last, last.entity == key.entity {
                groups[last.group].primaryKeys.append(key.primaryKey)
                groups[last.group].indexes.append(index)
                continue
            }
            let root = existingPlace(key.entity).root
            let group: Int
            if let found = groupOfRoot[root] {
                group = found
            } else {
                group = groups.count
                groupOfRoot[root] = group
                groups.append(RootGroup(root: root))
            }
            groups[group].primaryKeys.append(key.primaryKey)
            groups[group].indexes.append(index)
            last = (key.entity, group)
        }
        return groups
    }
}
