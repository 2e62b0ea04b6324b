internal import FirnLog
internal import FirnSQLite

/// A period of the history of one table. Its versions are a range of the table, in the order of the records that made
/// them.
///
///     era 0                        era 40                         era 95
///     made ····· ended ··· made │  copies, made ··· ended ···· │  copies, made ···
///
/// The rows that are valid when an era begins are copied into it, so a past state is read from one era, and there from
/// the versions up to its record. An era ends when twice as many of its versions ended as are valid: so these are at
/// most three times the rows of the state, however long the history is. A copy takes the place of two versions that
/// ended: there are at most half as many copies as versions. Where nothing ends, nothing is copied.
struct VersionEra {
    /// The record that it begins with.
    var start = SequenceNumber.zero
    /// The `Z_ID` of its first version.
    var first: Int64 = 1
    /// Rows that are valid.
    var live = 0
    /// Rows that were copied when the era began.
    var copied = 0
    /// Versions that were added since.
    var added = 0
    /// The record that was applied last. A record stays within one era.
    var last = SequenceNumber.zero
    private var isChanged = false

    /// The least count of versions that ended before a new era begins, because a new era is not worth its cost for
    /// less.
    private static let endedMin = 64

    static let table = """
        CREATE TABLE firn_eras(
          place INTEGER NOT NULL, start INTEGER NOT NULL, first INTEGER NOT NULL, live INTEGER NOT NULL,
          copied INTEGER NOT NULL, added INTEGER NOT NULL, PRIMARY KEY (place, start)) WITHOUT ROWID
        """

    /// The first era of each place.
    static func beginAll(_ layout: TableLayout, on connection: Connection) throws {
        for place in 0..<(layout.tables.count + layout.links.count) {
            try connection.execute("INSERT INTO firn_eras VALUES (\(place), 0, 1, 0, 0, 0)")
        }
    }

    /// The era of a place that has what was valid after the record `sequence`.
    init(_ place: Int, at sequence: SequenceNumber = SequenceNumber(.max >> 1), on connection: Connection) throws {
        try connection.withStatement(
            "SELECT start, first, live, copied, added FROM firn_eras WHERE place = ?1 AND start <= ?2 "
                + "ORDER BY start DESC LIMIT 1"
        ) { statement in
            try statement.bind(Int64(place), at: 1)
            try statement.bind(Int64(sequence.rawValue), at: 2)
            guard try statement.step() else { return }
            start = SequenceNumber(stored: statement.integer(0))
            first = statement.integer(1)
            live = Int(statement.integer(2))
            copied = Int(statement.integer(3))
            added = Int(statement.integer(4))
        }
    }

    /// The `Z_ID` of the first version of the next era.
    private var next: Int64 { first + Int64(copied + added) }

    /// The versions, by `Z_ID`, among which those are that were valid after a record: of its era, as far as they were
    /// made. These are the era's copies, and others in the order of their records.
    ///
    /// Complexity: O(log versions).
    static func versions(
        of place: Int, _ layout: TableLayout, at sequence: SequenceNumber, on connection: Connection
    ) throws -> Range<Int64> {
        try VersionEra(place, at: sequence, on: connection)
            .versions(through: sequence, of: layout.versionTables[place], on: connection)
    }

    private func versions(through sequence: SequenceNumber, of table: String, on connection: Connection) throws
        -> Range<Int64>
    {
        try connection.withStatement("SELECT Z_FROM FROM \(table) WHERE Z_ID = ?1") { statement in
            var (low, high) = (first + Int64(copied), next)
            // The state that is asked for most often is the last.
            var middle = high - 1
            while low < high {
                statement.reset()
                try statement.bind(middle, at: 1)
                if try statement.step(), statement.integer(0) <= Int64(sequence.rawValue) {
                    low = middle + 1
                } else {
                    high = middle
                }
                middle = low + (high - low) / 2
            }
            return first..<low
        }
    }

    /// Whether a new era should begin with a record.
    func isFull(at sequence: SequenceNumber) -> Bool {
        last < sequence && start < sequence && copied + added - live >= max(Self.endedMin, 2 * live)
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
            try statement.bind(first, at: 1)
            try statement.run()
        }
        (start, first, copied, added, isChanged) = (sequence, next, live, 0, true)
        try store(place, on: connection)
    }

    mutating func store(_ place: Int, on connection: Connection) throws {
        guard isChanged else { return }
        isChanged = false
        try connection.withStatement("INSERT OR REPLACE INTO firn_eras VALUES (?1, ?2, ?3, ?4, ?5, ?6)") { statement in
            try statement.bind([Int64(place), Int64(start.rawValue), first] + [live, copied, added].map(Int64.init))
            try statement.run()
        }
    }
}
