internal import FirnLog
internal import FirnSQLite
internal import Foundation

/// The records of the log, in plain tables next to the versions of rows, for any SQLite.
///
///     firn_records      each record: who wrote it, when, and how much it changed
///     firn_properties   the properties of the entities, with the numbers that views need
///     firn_history      one row: the record after which versions are complete
///
/// Records that a trim cut off are not among them. Their baseline is, without an author and a date.
struct RecordTable {
    private let connection: Connection

    static let definitions = [
        """
        CREATE TABLE firn_records(
          number INTEGER PRIMARY KEY, kind TEXT NOT NULL, date TEXT, unix_time REAL, author TEXT, context TEXT,
          process TEXT, process_id INTEGER, bundle TEXT, metadata TEXT,
          inserted INTEGER, updated INTEGER, deleted INTEGER, added INTEGER, removed INTEGER)
        """,
        """
        CREATE TABLE firn_properties(
          entity INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
          destination TEXT, "column" INTEGER, PRIMARY KEY (entity, number)) WITHOUT ROWID
        """,
        "CREATE TABLE firn_history(id INTEGER PRIMARY KEY CHECK (id = 1), start INTEGER NOT NULL)",
        "CREATE INDEX firn_records_date ON firn_records(date)",
    ]

    init(_ connection: Connection) { self.connection = connection }

    /// Makes the tables and views, and describes the model.
    func make(_ layout: TableLayout, hasWords: Bool) throws {
        let words = hasWords ? TextIndex.definitions : []
        for sql in Self.definitions + HistoryViews(layout).definitions + words { try connection.execute(sql) }
        try connection.execute("INSERT INTO firn_history VALUES (1, 0)")
        for entity in layout.model.entities {
            guard let place = layout.place(entity.number) else { continue }
            for (number, slot) in place.slots.enumerated() { try describe(slot, number, of: place, layout) }
        }
    }

    private func describe(_ slot: SlotPlace, _ number: Int, of place: EntityPlace, _ layout: TableLayout) throws {
        let columns = layout.tables[place.table].columns
        var column = slot.column.flatMap { name in columns.firstIndex { $0.name == name } }
        if case .position = slot.kind { column = nil }
        try connection.withStatement("INSERT INTO firn_properties VALUES (?1, ?2, ?3, ?4, ?5, ?6)") { statement in
            try statement.bind(Int64(place.number.rawValue), at: 1)
            try statement.bind(Int64(number), at: 2)
            try statement.bind(slot.name, at: 3)
            try statement.bind(slot.kind.name, at: 4)
            if let name = slot.destination.flatMap(layout.place)?.name { try statement.bind(name, at: 5) }
            if let column { try statement.bind(Int64(column), at: 6) }
            try statement.run()
        }
    }

    /// Adds a record. A record that is there already, because several parts of a baseline have its number, is left.
    func add(_ record: LogRecord) throws {
        let header = record.header
        try connection.withStatement(Self.insertion) { statement in
            try statement.bind(Int64(record.sequence.rawValue), at: 1)
            try statement.bind(record.body.name, at: 2)
            guard !record.body.isBaseline else { return try statement.run() }
            try statement.bind(Double(header.date) / 1e6, at: 3)
            if let author = header.author { try statement.bind(author, at: 4) }
            if let name = header.contextName { try statement.bind(name, at: 5) }
            if !header.processName.isEmpty { try statement.bind(header.processName, at: 6) }
            if header.processID != 0 { try statement.bind(Int64(header.processID), at: 7) }
            if let bundle = header.bundleID { try statement.bind(bundle, at: 8) }
            if let metadata = try Self.json(header.metadata) { try statement.bind(metadata, at: 9) }
            for (index, count) in record.body.counts.enumerated() {
                try statement.bind(Int64(count), at: Int32(10 + index))
            }
            try statement.run()
        }
        if record.body.isBaseline {
            try connection.execute("UPDATE firn_history SET start = \(record.sequence.rawValue)")
        }
    }

    private static let insertion = """
        INSERT OR IGNORE INTO firn_records
        VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%fZ', ?3, 'unixepoch'), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
          ?13, ?14)
        """

    private static func json(_ metadata: [String: String]) throws -> String? {
        if metadata.isEmpty { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(metadata), as: UTF8.self)
    }
}

extension LogRecord.Body {
    fileprivate var isBaseline: Bool { if case .baseline = self { true } else { false } }

    /// The kind of a record, for people.
    fileprivate var name: String {
        switch self {
        case .model(let model): model.migration == nil ? "model" : "migration"
        case .changes: "changes"
        case .reservation: "reservation"
        case .erasure: "erasure"
        case .baseline: "baseline"
        }
    }

    /// The counts of objects that were inserted, updated and deleted, and of members of link tables that were added
    /// and removed.
    fileprivate var counts: [Int] {
        let changes: ChangeSet
        switch self {
        case .changes(let set): changes = set
        case .model(let model): changes = model.migration?.rows ?? ChangeSet(model: .zero)
        case .reservation, .erasure, .baseline: return []
        }
        func count(_ operation: ChangeGroup.Operation) -> Int {
            changes.groups.reduce(0) { $0 + ($1.operation == operation ? $1.primaryKeys.count : 0) }
        }
        return [
            count(.insert), count(.update), count(.delete), changes.links.reduce(0) { $0 + $1.added.count },
            changes.links.reduce(0) { $0 + $1.removed.count },
        ]
    }
}

extension LogProperty.Kind {
    fileprivate var name: String {
        switch self {
        case .attribute(let kind): "\(kind)"
        case .toOne: "toOne"
        case .toMany: "toMany"
        case .position: "position"
        case .transient: "transient"
        }
    }
}
