internal import FirnLog
internal import FirnSQLite

/// Keeps every version of every row with the sequence numbers between which it was valid.
///
/// An update closes the newest version and copies it with the changed columns. Nothing is ever deleted.
///
/// Statements that change rows of their own choice are `OR FAIL`: SQLite needs no savepoint for these, at each of which
/// FTS5 would write the words that it has in memory. What fails ends the whole transaction all the same.
final class VersionWriter: ChangeApplying {
    /// `Z_TO` of a version that is still valid.
    static let open = Int64.max

    private let connection: Connection
    private let layout: TableLayout
    /// Nil in memory, where nobody asks for them.
    private let records: RecordTable?
    private let texts: TextIndex?
    private var statements: GroupStatements
    /// Of each table, then of each link table.
    private var eras: [VersionEra] = []

    init(_ connection: Connection, layout: TableLayout, inMemory isInMemory: Bool, hasWords: Bool) {
        self.connection = connection
        self.layout = layout
        statements = GroupStatements(connection)
        records = isInMemory ? nil : RecordTable(connection)
        texts = hasWords ? TextIndex(connection) : nil
    }

    func describe(_ record: LogRecord) throws { try records?.add(record) }

    func load() throws {
        eras = try layout.versionTables.indices.map { try VersionEra($0, on: connection) }
    }

    func store() throws {
        for place in eras.indices { try eras[place].store(place, on: connection) }
    }

    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws {
        let place = layout.existingPlace(group.entity)
        let count = group.primaryKeys.count
        try enter(place.table, sequence)
        switch group.operation {
        case .insert:
            try insert(group, place, sequence, versions)
            eras[place.table].count(added: count, ended: 0)
        case .update:
            try update(group, place, sequence)
            eras[place.table].count(added: count, ended: count)
        case .delete:
            for key in group.primaryKeys { try close(key, place, sequence) }
            eras[place.table].count(added: 0, ended: count)
        case .refresh: break
        }
        try texts?.apply(group, place, at: sequence, versions: versions)
    }

    /// Begins a new era of a table if the current one is full.
    private func enter(_ table: Int, _ sequence: SequenceNumber) throws {
        if eras[table].isFull(at: sequence) {
            try eras[table].begin(
                at: sequence, place: table, copying: layout.eraBeginning(table), on: connection)
        }
        eras[table].last = sequence
    }

    private func insert(
        _ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber, _ versions: [Int64]?
    ) throws {
        let statement = try statements.statement(for: group) {
            let columns = place.columnNames(group.slots)
            let names = ["Z_PK", "Z_ENT", "Z_FROM", "Z_TO", "Z_COPY"] + columns
            let marks = ["?1", "?2", "?3", "\(Self.open)", "0"] + columns.indices.map { "?\($0 + 5)" }
            return "INSERT INTO main.\(TableLayout.versions(of: place.tableName))(\(names.joined(separator: ","))) "
                + "VALUES (\(marks.joined(separator: ",")))"
        }
        try run(statement, group, place, sequence, versions)
    }

    private func update(_ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber) throws {
        let statement = try statements.statement(for: group) {
            let changed = place.columnNames(group.slots)
            var expressions = Dictionary(
                uniqueKeysWithValues: changed.enumerated().map { ($1, "?\($0 + 5)") })
            let kept = layout.tables[place.table].columns.map { quoted($0.name) }
            for name in kept where expressions[name] == nil { expressions[name] = name }
            let columns = kept.compactMap { name in expressions[name].map { (name, $0) } }
            let table = "main." + TableLayout.versions(of: place.tableName)
            return "INSERT OR FAIL INTO \(table)(Z_PK,Z_ENT,Z_FROM,Z_TO,Z_COPY"
                + columns.map { "," + $0.0 }.joined() + ") SELECT ?1,?2,?3,\(Self.open),0"
                + columns.map { "," + $0.1 }.joined()
                + " FROM \(table) WHERE Z_PK=?1 AND Z_TO=?3 AND Z_ID>=?4 ORDER BY Z_ID DESC LIMIT 1"
        }
        for key in group.primaryKeys { try close(key, place, sequence) }
        try run(statement, group, place, sequence)
    }

    private func run(
        _ statement: Statement, _ group: ChangeGroup, _ place: EntityPlace,
        _ sequence: SequenceNumber, _ versions: [Int64]? = nil
    ) throws {
        if group.operation == .update { try statement.bind(eras[place.table].first, at: 4) }
        try statement.forEachRow(of: group, place, sequence, versions, columnsAt: 5) { _ in try statement.run() }
    }

    /// Ends the validity of an object's newest version. One that the same record made was never valid.
    private func close(_ key: Int64, _ place: EntityPlace, _ sequence: SequenceNumber) throws {
        let shape = GroupShape(entity: place.number, operation: .delete, slots: [])
        let statement = try statements.statement(for: shape) {
            "UPDATE OR FAIL main.\(TableLayout.versions(of: place.tableName)) SET Z_TO=?2 "
                + "WHERE Z_PK=?1 AND Z_TO=\(Self.open) AND Z_ID>=?3"
        }
        try statement.bind([key, Int64(sequence.rawValue), eras[place.table].first])
        try statement.run()
        guard connection.changeCount == 1 else {
            throw ProjectionError(
                .inconsistent,
                "change set \(sequence) changes \(place.name) \(key), which is not there; delete this "
                    + "file, it is built again", path: connection.path)
        }
    }

    func apply(_ group: LinkGroup, at sequence: SequenceNumber) throws {
        let table = try layout.linkTable(of: group)
        let place = layout.tables.count + (layout.links.firstIndex { $0.name == table.name } ?? 0)
        try enter(place, sequence)
        let name = "main." + TableLayout.versions(of: table.name)
        try connection.withStatement(
            "UPDATE OR FAIL \(name) SET Z_TO=?3 WHERE Z_SRC=?1 AND Z_DST=?2 AND Z_TO=\(Self.open) AND Z_ID>=?4"
        ) { statement in
            for link in group.removed {
                try statement.bind(link.source.primaryKey, at: 1)
                try statement.bind(link.destination.primaryKey, at: 2)
                try statement.bind(Int64(sequence.rawValue), at: 3)
                try statement.bind(eras[place].first, at: 4)
                try statement.run()
            }
        }
        let columns = table.columns + ["Z_FROM", "Z_TO", "Z_COPY"]
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ",")
        try connection.withStatement(
            "INSERT INTO \(name)(\(columns.joined(separator: ","))) VALUES (\(marks))"
        ) { statement in
            for link in group.added {
                try statement.bind(table.values(of: link) + [Int64(sequence.rawValue), Self.open, 0])
                try statement.run()
            }
        }
        eras[place].count(added: group.added.count, ended: group.removed.count)
    }
}
