internal import FirnLog

/// The projection's own tables: whose projection it is, its entities and its keys.
enum ProjectionFormat {
    /// Incremented whenever files of older versions must be rebuilt.
    static let version: Int64 = 3
    /// "Firn" in the header of the SQLite file (https://www.sqlite.org/fileformat2.html#application_id).
    static let applicationID: Int64 = 0x4669_726E

    /// One row: the projection's store and model, and its checkpoint. `link` is the chain value of the checkpoint's
    /// record. `durable` is the last record that was known to be durable at the last commit. `description` is the model
    /// as a record of the log has it, and `metadata` what the application says of the store: with them the file alone
    /// is a store (`DetachedTables`).
    static let storeTable = """
        CREATE TABLE firn_store(
          id INTEGER PRIMARY KEY CHECK (id = 1),
          format INTEGER NOT NULL,
          store TEXT NOT NULL,
          model INTEGER NOT NULL,
          layout TEXT NOT NULL,
          description BLOB NOT NULL,
          metadata BLOB,
          checkpoint INTEGER NOT NULL,
          durable INTEGER NOT NULL DEFAULT 0,
          link BLOB)
        """
    /// The names behind `Z_ENT`, for people.
    static let entityTable = """
        CREATE TABLE firn_entities(
          number INTEGER PRIMARY KEY, name TEXT NOT NULL, parent INTEGER, "table" TEXT NOT NULL)
        """
    /// The last primary key that was assigned in each root entity.
    static let keyTable = """
        CREATE TABLE firn_keys(root INTEGER PRIMARY KEY, last INTEGER NOT NULL)
        """
}

/// An index that a migration may leave to be made later.
struct DeferrableIndex: Hashable, Sendable {
    var name: String
    /// The statement that makes it.
    var definition: String
}

extension TableLayout {
    /// The statements that make the model's tables, in order.
    package var tableDefinitions: [String] {
        tables.map { table in
            let head = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER NOT NULL", "Z_OPT INTEGER NOT NULL"]
            return "CREATE TABLE \(quoted(table.name))("
                + (head + table.columns.map(\.definition)).joined(separator: ", ") + ")"
        }
            + links.map { link in
                "CREATE TABLE \(quoted(link.name))("
                    + (link.columns.map { "\($0) INTEGER NOT NULL" } + ["PRIMARY KEY (Z_SRC, Z_DST)"])
                    .joined(separator: ", ") + ") WITHOUT ROWID"
            }
    }

    /// The statements that make the indexes. Run after the rows are in when many come at once.
    package var indexDefinitions: [String] {
        tables.flatMap { table in
            table.indexes.map { $0.definition(table: table.name) }
                + Self.requiredIndexes(table).flatMap(\.definitions)
        }
            + links.map(\.backDefinition)
    }

    /// The indexes without which every query gives the same result, but more slowly.
    var deferrableIndexes: [DeferrableIndex] {
        tables.flatMap { table in
            table.indexes.map { DeferrableIndex(name: $0.name, definition: $0.definition(table: table.name)) }
        }
            + links.map { DeferrableIndex(name: $0.backName, definition: $0.backDefinition) }
    }

    /// The statements for indexes that queries name, R-trees and those of words. They cannot be deferred.
    var requiredIndexDefinitions: [String] { tables.flatMap(Self.requiredIndexes).flatMap(\.definitions) }

    /// The statements that make these indexes once more, since their nodes keep bytes of what left them. Triggers stay.
    var indexRenewals: [String] {
        tables.flatMap(Self.requiredIndexes).flatMap { ["DROP TABLE \(quoted($0.name))"] + $0.definitions.prefix(2) }
    }

    private static func requiredIndexes(_ table: Table) -> [(name: String, definitions: [String])] {
        table.ranges.map { ($0.name, $0.definitions(table: table.name)) }
            + table.words.map { ($0.name, $0.definitions(table: table.name)) }
    }

    /// The text that two layouts must share for a file of one to serve the other: the tables and the entities' numbers.
    var fingerprint: String {
        let entities = model.entities.sorted { $0.number < $1.number }.map {
            "\($0.number.rawValue) \($0.name) \($0.parent?.rawValue ?? 0)"
        }
        return (entities + tableDefinitions + indexDefinitions).joined(separator: "\n")
    }
}

extension StoredColumn {
    var definition: String {
        type.declaration.isEmpty ? quoted(name) : "\(quoted(name)) \(type.declaration)"
    }
}

extension StorageType {
    /// The declared type, which sets the column's affinity (https://www.sqlite.org/datatype3.html).
    var declaration: String {
        switch self {
        case .integer, .reference: "INTEGER"
        // A column of affinity REAL would keep -0.0 as the integer 0: reals have no declared type.
        case .real: ""
        case .text: "TEXT"
        case .blob: "BLOB"
        case .none: fatalError("a property without storage has no column")
        }
    }
}

extension TableIndex {
    func definition(table: String, ifMissing: Bool = false) -> String {
        let list = elements.map { $0.sql + ($0.isDescending ? " DESC" : "") }
        return "CREATE INDEX \(ifMissing ? "IF NOT EXISTS " : "")\(quoted(name)) "
            + "ON \(quoted(table))(\(list.joined(separator: ", ")))"
            + (condition.map { " WHERE \($0)" } ?? "")
    }
}

extension LinkTable {
    fileprivate var backName: String { name + "_back" }
    fileprivate var backDefinition: String {
        "CREATE INDEX \(quoted(backName)) ON \(quoted(name))(Z_DST, Z_SRC)"
    }

    /// The columns that this link table has, in order.
    package var columns: [String] {
        ["Z_SRC", "Z_DST"] + (hasSourceEntity ? ["Z_SRC_ENT"] : [])
            + (hasDestinationEntity ? ["Z_DST_ENT"] : []) + (hasSourceOrder ? ["Z_SRC_ORD"] : [])
            + (hasDestinationOrder ? ["Z_DST_ORD"] : [])
    }
}

extension TableLayout {
    /// Whether a file of one layout serves the other.
    package func isSame(as other: TableLayout) -> Bool { fingerprint == other.fingerprint }
}
