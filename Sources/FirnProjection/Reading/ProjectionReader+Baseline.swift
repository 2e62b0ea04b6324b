package import FirnLog
internal import FirnSQLite

extension ProjectionReader {
    private static let rowsOfPart = 20_000
    /// Bytes of texts and blobs in a part. A part is in memory as a whole, and larger ones may not fit into a frame.
    private static let bytesOfPart = 8 << 20

    /// The whole state of this snapshot, in parts for `LogMaintenance.trim`: keys, rows by table and
    /// primary key, members. `model` is the record that carries the model of the tables.
    package func baseline(model: SequenceNumber, _ write: (BaselinePart) throws -> Void) throws {
        try write(.keys(lastKeys()))
        for table in layout.tables { try writeRows(of: table, model, write) }
        for link in layout.links { try writeMembers(of: link, model, write) }
    }

    /// An object's row as it stands in a baseline; without groups if there is none. `model` is the record that carries
    /// the model of the tables.
    package func insertion(of key: ObjectKey, _ model: SequenceNumber) throws -> ChangeSet {
        ChangeSet(model: model, groups: try rows([key]).batches.map(\.insertion))
    }

    /// The last primary key that was assigned in each root entity.
    package func lastKeys() throws -> [EntityNumber: Int64] {
        var keys: [EntityNumber: Int64] = [:]
        try connection.withStatement("SELECT root, last FROM firn_keys") { statement in
            while try statement.step() {
                keys[EntityNumber(stored: statement.integer(0))] = statement.integer(1)
            }
        }
        return keys
    }

    private func writeRows(
        of table: Table, _ model: SequenceNumber, _ write: (BaselinePart) throws -> Void
    ) throws {
        let shape = layout.shape(table.root)
        let sql = "SELECT \(shape.selectList) FROM \(quoted(table.name)) AS t0 WHERE t0.Z_PK > ?1 "
            + "ORDER BY t0.Z_PK LIMIT \(Self.rowsOfPart)"
        var last = Int64.min
        while true {
            let rows = try connection.withStatement(sql) { statement in
                try statement.bind(last, at: 1)
                var collector = RowCollector(shape)
                try collector.collect(statement, bytes: Self.bytesOfPart, every: 1)
                return collector.finish()
            }
            guard rows.count > 0 else { return }
            last = rows.key(at: rows.count - 1).primaryKey
            let groups = rows.batches.map(\.insertion)
            try write(
                .rows(ChangeSet(model: model, groups: groups), versions: rows.batches.map(\.versions)))
        }
    }

    private func writeMembers(
        of table: LinkTable, _ model: SequenceNumber, _ write: (BaselinePart) throws -> Void
    ) throws {
        let list = table.columns.joined(separator: ",")
        let sql = "SELECT \(list) FROM \(quoted(table.name)) WHERE (Z_SRC, Z_DST) > (?1, ?2) "
            + "ORDER BY Z_SRC, Z_DST LIMIT \(Self.rowsOfPart)"
        var last = (source: Int64.min, destination: Int64.min)
        while true {
            var links: [Link] = []
            try connection.withStatement(sql) { statement in
                try statement.bind(last.source, at: 1)
                try statement.bind(last.destination, at: 2)
                while try statement.step() { links.append(table.link(statement)) }
            }
            guard let end = links.last else { return }
            last = (end.source.primaryKey, end.destination.primaryKey)
            let group = LinkGroup(
                entity: table.property.entity, slot: UInt16(table.property.slot), added: links)
            try write(.rows(ChangeSet(model: model, links: [group]), versions: []))
        }
    }
}

extension RowBatch {
    /// The group that would insert these rows.
    fileprivate var insertion: ChangeGroup {
        var group = ChangeGroup(entity: entity, operation: .insert, primaryKeys: primaryKeys)
        for (slot, column) in columns.enumerated() {
            guard let column, primaryKeys.indices.contains(where: { !column.isNull(at: $0) }) else { continue }
            group.slots.append(UInt16(slot))
            group.new.append(column)
        }
        return group
    }
}

extension LinkTable {
    /// The member in the current row of a statement that selects `columns`; the other way round as `values(of:)`.
    fileprivate func link(_ statement: Statement) -> Link {
        var column: Int32 = 2
        func next() -> Int64 {
            defer { column += 1 }
            return statement.integer(column)
        }
        var link = Link(
            source: ObjectKey(entity: property.entity, primaryKey: statement.integer(0)),
            destination: ObjectKey(entity: destination, primaryKey: statement.integer(1)))
        if hasSourceEntity { link.source.entity = EntityNumber(UInt32(next())) }
        if hasDestinationEntity { link.destination.entity = EntityNumber(UInt32(next())) }
        if hasSourceOrder { link.sourceOrder = next() }
        if hasDestinationOrder { link.destinationOrder = next() }
        return link
    }
}
