internal import FirnLog
internal import FirnSQLite

/// Keeps every version of every row with the sequence numbers between which it was valid.
///
/// An update closes the newest version and copies it with the changed columns. Nothing is ever deleted.
final class VersionWriter: ChangeApplying {
    /// `Z_TO` of a version that is still valid.
    static let open = Int64.max

    private let connection: Connection
    private let layout: TableLayout
    private var statements: [GroupShape: Statement] = [:]
    private let statementCountMax = 500

    init(_ connection: Connection, layout: TableLayout) {
        self.connection = connection
        self.layout = layout
    }

    func apply(_ group: ChangeGroup, at sequence: SequenceNumber, versions: [Int64]?) throws {
        let place = layout.known(group.entity)
        switch group.operation {
        case .insert: try insert(group, place, sequence, versions)
        case .update: try update(group, place, sequence)
        case .delete:
            for key in group.primaryKeys { try close(key, place, sequence) }
        case .refresh: break
        }
    }

    private func insert(
        _ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber, _ versions: [Int64]?
    ) throws {
        let statement = try statement(for: group) {
            let names = ["Z_PK", "Z_ENT", "Z_OPT", "Z_FROM", "Z_TO"] + place.columnNames(group.slots)
            let marks = ["?1", "?2", "?3", "?3", "\(Self.open)"]
                + names.dropFirst(5).indices.map { "?\($0 - 1)" }
            return "INSERT INTO main.\(quoted(place.tableName))(\(names.joined(separator: ","))) "
                + "VALUES (\(marks.joined(separator: ",")))"
        }
        try run(statement, group, place, sequence, versions)
    }

    private func update(_ group: ChangeGroup, _ place: EntityPlace, _ sequence: SequenceNumber) throws {
        let statement = try statement(for: group) {
            let changed = place.columnNames(group.slots)
            var expressions = Dictionary(
                uniqueKeysWithValues: changed.enumerated().map { ($1, "?\($0 + 4)") })
            let kept = layout.tables[place.table].columns.map { quoted($0.name) }
            for name in kept where expressions[name] == nil { expressions[name] = name }
            let columns = kept.compactMap { name in expressions[name].map { (name, $0) } }
            let table = "main." + quoted(place.tableName)
            return "INSERT INTO \(table)(Z_PK,Z_ENT,Z_OPT,Z_FROM,Z_TO"
                + columns.map { "," + $0.0 }.joined() + ") SELECT ?1,?2,?3,?3,\(Self.open)"
                + columns.map { "," + $0.1 }.joined()
                + " FROM \(table) WHERE Z_PK=?1 AND Z_TO=?3 ORDER BY Z_FROM DESC LIMIT 1"
        }
        for key in group.primaryKeys { try close(key, place, sequence) }
        try run(statement, group, place, sequence)
    }

    private func run(
        _ statement: Statement, _ group: ChangeGroup, _ place: EntityPlace,
        _ sequence: SequenceNumber, _ versions: [Int64]? = nil
    ) throws {
        try BoundColumn.withPointers(place.targets(group.slots, group.new, from: 4)) { columns in
            defer { statement.clearBindings() }
            try statement.bind(Int64(group.entity.rawValue), at: 2)
            try statement.bind(Int64(sequence.rawValue), at: 3)
            for (row, key) in group.primaryKeys.enumerated() {
                try statement.bind(key, at: 1)
                if let versions { try statement.bind(versions[row], at: 3) }
                for column in columns { try column.bind(row, to: statement) }
                try statement.run()
            }
        }
    }

    /// Ends the validity of an object's newest version.
    private func close(_ key: Int64, _ place: EntityPlace, _ sequence: SequenceNumber) throws {
        let shape = GroupShape(entity: place.number, operation: .delete, slots: [])
        let statement = try statement(for: shape) {
            "UPDATE main.\(quoted(place.tableName)) SET Z_TO=?2 "
                + "WHERE Z_PK=?1 AND Z_TO=\(Self.open)"
        }
        try statement.bind(key, at: 1)
        try statement.bind(Int64(sequence.rawValue), at: 2)
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
        let name = "main." + quoted(table.name)
        try connection.withStatement(
            "UPDATE \(name) SET Z_TO=?3 WHERE Z_SRC=?1 AND Z_DST=?2 AND Z_TO=\(Self.open)"
        ) { statement in
            for link in group.removed {
                try statement.bind(link.source.primaryKey, at: 1)
                try statement.bind(link.destination.primaryKey, at: 2)
                try statement.bind(Int64(sequence.rawValue), at: 3)
                try statement.run()
            }
        }
        let columns = table.columns + ["Z_FROM", "Z_TO"]
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ",")
        try connection.withStatement(
            "INSERT INTO \(name)(\(columns.joined(separator: ","))) VALUES (\(marks))"
        ) { statement in
            for link in group.added {
                let values = table.values(of: link) + [Int64(sequence.rawValue), Self.open]
                for (index, value) in values.enumerated() {
                    try statement.bind(value, at: Int32(index + 1))
                }
                try statement.run()
            }
        }
    }

    private func statement(for group: ChangeGroup, _ sql: () -> String) throws -> Statement {
        try statement(
            for: GroupShape(entity: group.entity, operation: group.operation, slots: group.slots), sql)
    }

    private func statement(for shape: GroupShape, _ sql: () -> String) throws -> Statement {
        if let statement = statements[shape] { return statement }
        if statements.count >= statementCountMax { statements.removeAll() }
        let statement = try connection.prepare(sql())
        statements[shape] = statement
        return statement
    }
}
