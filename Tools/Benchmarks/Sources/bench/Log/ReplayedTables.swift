import FirnLog

/// Plain SQLite tables that a store's log is replayed into: one for each entity, one for each relationship without a
/// to-one side.
final class ReplayedTables {
    private let database: RawDatabase
    private let model: LogModel
    private var statements: [String: RawStatement] = [:]
    let names: [String]

    /// Makes the tables, with triggers that keep their history.
    init(_ model: LogModel, in database: RawDatabase) throws {
        self.model = model
        self.database = database
        var names: [String] = []
        for entity in model.entities {
            let columns = entity.properties.filter { $0.storage != .none }
            let blobs = columns.filter { $0.storage == .blob }.map(\.name)
            try Self.make(entity.name, columns.map(\.name), Set(blobs), database)
            names.append(entity.name)
            for property in entity.properties {
                guard case .toMany(_, nil, _, true) = property.kind else { continue }
                let name = Self.links(entity, property)
                try Self.make(name, Self.linkColumns, [], database)
                names.append(name)
            }
        }
        self.names = names
    }

    private static let linkColumns = ["source", "destination", "sourceOrder", "destinationOrder"]

    private static func links(_ entity: LogEntity, _ property: LogProperty) -> String {
        "\(entity.name)_\(property.name)"
    }

    private static func make(
        _ table: String, _ columns: [String], _ blobs: Set<String>, _ database: RawDatabase
    ) throws {
        let list = columns.map { ", \"\($0)\"" }.joined()
        try database.execute("CREATE TABLE \"\(table)\" (id INTEGER PRIMARY KEY\(list))")
        try database.execute(AuditTriggers.sql(table: table, columns: columns, blobs: blobs))
    }

    func apply(_ changes: ChangeSet) throws {
        for group in changes.groups {
            guard let entity = model.entity(group.entity) else { continue }
            try apply(group, entity)
        }
        for links in changes.links {
            guard let entity = model.entity(links.entity) else { continue }
            try apply(links, to: Self.links(entity, entity.properties[Int(links.slot)]))
        }
    }

    private func apply(_ group: ChangeGroup, _ entity: LogEntity) throws {
        let stored = group.slots.indices.filter { entity.properties[Int(group.slots[$0])].storage != .none }
        let columns = stored.map { "\"\(entity.properties[Int(group.slots[$0])].name)\"" }
        let statement: RawStatement
        switch group.operation {
        case .insert:
            let marks = columns.map { _ in "?, " }.joined() + "?"
            statement = try prepare(
                "INSERT INTO \"\(entity.name)\" (\((columns + ["id"]).joined(separator: ", "))) VALUES (\(marks))")
        case .update:
            if columns.isEmpty { return }
            let list = columns.map { "\($0) = ?" }.joined(separator: ", ")
            statement = try prepare("UPDATE \"\(entity.name)\" SET \(list) WHERE id = ?")
        case .delete: statement = try prepare("DELETE FROM \"\(entity.name)\" WHERE id = ?")
        case .refresh: return
        }
        for row in group.primaryKeys.indices {
            var place: Int32 = 1
            for column in group.operation == .delete ? [] : stored {
                bind(group.new[column][row], statement, place)
                place += 1
            }
            statement.bind(group.primaryKeys[row], place)
            try statement.run()
        }
    }

    private func apply(_ links: LinkGroup, to table: String) throws {
        let delete = try prepare("DELETE FROM \"\(table)\" WHERE source = ? AND destination = ?")
        try database.execute("CREATE INDEX IF NOT EXISTS \"\(table)_of\" ON \"\(table)\" (source, destination)")
        for link in links.removed {
            delete.bind(link.source.primaryKey, 1)
            delete.bind(link.destination.primaryKey, 2)
            try delete.run()
        }
        let insert = try prepare(
            "INSERT INTO \"\(table)\" (source, destination, sourceOrder, destinationOrder) VALUES (?, ?, ?, ?)")
        for link in links.added {
            let values = [
                link.source.primaryKey, link.destination.primaryKey, link.sourceOrder, link.destinationOrder,
            ]
            for (index, value) in values.enumerated() { insert.bind(value, Int32(index + 1)) }
            try insert.run()
        }
    }

    private func bind(_ value: PropertyValue, _ statement: RawStatement, _ place: Int32) {
        switch value {
        case .null: statement.bindNull(place)
        case .integer(let integer): statement.bind(integer, place)
        case .real(let real): statement.bind(real, place)
        case .text(let text): statement.bind(text, place)
        case .blob(let bytes): statement.bind(bytes, place)
        case .reference(let key): statement.bind(key.primaryKey, place)
        }
    }

    private func prepare(_ sql: String) throws -> RawStatement {
        if let known = statements[sql] { return known }
        let made = try database.prepare(sql)
        statements[sql] = made
        return made
    }

    /// Before the tables are measured: open statements keep SQLite from cleaning up.
    func finish() { statements = [:] }
}
