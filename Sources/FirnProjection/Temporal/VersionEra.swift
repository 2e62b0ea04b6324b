internal import FirnLog
internal import FirnSQLite

/// A period of the history of one table. It has every row that was valid at some time in it.
///
///     era 0                        era 40                      era 95
///     rows ····× changed  ·····│   valid at 40, ····× ····│   valid at 95, ···
///
/// A row that is valid when an era begins is copied into it. An era ends when as many rows were added as were copied.
/// So a past state is read from one era. It has at most twice the rows that were valid when it began, however long the
/// history is. There are at most twice as many rows as versions.
struct VersionEra {
    /// The era's number: the sequence number that it begins with.
    var start: SequenceNumber
    /// Rows that are valid.
    var live: Int
    /// Rows that were copied when the era began.
    var copied: Int
    /// Versions that were added since.
    var added: Int
    /// The record that was applied last. A record stays within one era.
    var last = SequenceNumber.zero
    private var isChanged = false

    /// The least count of added rows before a new era begins, because a new era is not worth its cost for less.
    private static let addedMin = 64

    static let table = """
        CREATE TABLE firn_eras(
          place INTEGER NOT NULL, start INTEGER NOT NULL, live INTEGER NOT NULL, copied INTEGER NOT NULL,
          added INTEGER NOT NULL, PRIMARY KEY (place, start)) WITHOUT ROWID
        """

    /// The first era of each place.
    static func beginAll(_ layout: TableLayout, on connection: Connection) throws {
        for place in 0..<(layout.tables.count + layout.links.count) {
            try connection.execute("INSERT INTO firn_eras VALUES (\(place), 0, 0, 0, 0)")
        }
    }

    /// The number of the era of a place that has what was valid after the record `sequence`.
    static func start(of place: Int, at sequence: SequenceNumber, on connection: Connection) throws -> Int64 {
        try connection.withStatement(
            "SELECT start FROM firn_eras WHERE place = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1"
        ) { statement in
            try statement.bind(Int64(place), at: 1)
            try statement.bind(Int64(sequence.rawValue), at: 2)
            return try statement.step() ? statement.integer(0) : 0
        }
    }

    /// About how many rows were valid after the record `sequence`.
    static func live(at sequence: SequenceNumber, places: Int, on connection: Connection) throws -> Int {
        try (0..<places).reduce(0) { sum, place in
            try sum + connection.withStatement(
                "SELECT live FROM firn_eras WHERE place = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1"
            ) { statement in
                try statement.bind(Int64(place), at: 1)
                try statement.bind(Int64(sequence.rawValue), at: 2)
                return try statement.step() ? Int(statement.integer(0)) : 0
            }
        }
    }

    /// The last era of a place.
    init(_ place: Int, on connection: Connection) throws {
        (start, live, copied, added) = try connection.withStatement(
            "SELECT start, live, copied, added FROM firn_eras WHERE place = ?1 ORDER BY start DESC LIMIT 1"
        ) { statement in
            try statement.bind(Int64(place), at: 1)
            guard try statement.step() else { return (.zero, 0, 0, 0) }
            return (
                SequenceNumber(stored: statement.integer(0)), Int(statement.integer(1)), Int(statement.integer(2)),
                Int(statement.integer(3))
            )
        }
    }

    /// Whether a new era should begin with a record.
    func isFull(at sequence: SequenceNumber) -> Bool {
        last < sequence && start < sequence && added >= max(Self.addedMin, copied)
    }

    mutating func count(added: Int, ended: Int) {
        live += added - ended
        self.added += added
        isChanged = true
    }

    /// Begins the era of a record of which nothing was applied yet.
    mutating func begin(
        at sequence: SequenceNumber, place: Int, copying sql: String, on connection: Connection
    ) throws {
        try store(place, on: connection)
        try connection.withStatement(sql) { statement in
            try statement.bind(Int64(start.rawValue), at: 1)
            try statement.bind(Int64(sequence.rawValue), at: 2)
            try statement.run()
        }
        (start, copied, added, isChanged) = (sequence, live, 0, true)
        try store(place, on: connection)
    }

    mutating func store(_ place: Int, on connection: Connection) throws {
        guard isChanged else { return }
        isChanged = false
        try connection.withStatement("INSERT OR REPLACE INTO firn_eras VALUES (?1, ?2, ?3, ?4, ?5)") { statement in
            for (index, value) in [place, Int(start.rawValue), live, copied, added].enumerated() {
                try statement.bind(Int64(value), at: Int32(index + 1))
            }
            try statement.run()
        }
    }
}
