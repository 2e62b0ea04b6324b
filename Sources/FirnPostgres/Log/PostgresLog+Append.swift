public import FirnLog

extension PostgresLog {
    /// The largest run: PostgreSQL takes a statement of a gigabyte at most, and holds it more than once.
    private static let runSizeMax = 256 << 20

    /// The store, if its log ends with the record that the first frame is chained to, or was cut off right behind it.
    ///
    /// A transaction that trims the log or removes the store locks the store's row first. Appends share a lock of the
    /// row, so that no record is deleted while they run: after waiting they read the row's last version.
    private static let store = """
        with store as (
            select id from firn.store
            where id = $1::uuid and (floor = $2::bigint and floor_link = $3::bytea or floor < $2::bigint and exists (
                select from firn.record where store = $1::uuid and sequence = $2::bigint and link = $3::bytea))
            for key share
        )
        """

    /// For a run of one frame, as most are: half the work of the other one for the server. Gives a row if it is made.
    private static let appendOne = PlannedStatement(
        store + """
             insert into firn.record (store, sequence, kind, date, link, frame, dictionary)
            select id, $2::bigint + 1, $5::bigint, $6::bigint, $7::bytea, $8::bytea, nullif($4::bytea, '')
            from store on conflict do nothing returning 1
            """)

    /// The first frame decides: its number is free and the record before it is the one it is chained to, or nothing
    /// happens. Nobody else can have the numbers after it then.
    private static let appendSeveral = PlannedStatement(
        store + """
            , beginning as (
                insert into firn.record (store, sequence, kind, date, link, frame, dictionary)
                select id, $2::bigint + 1, ($5::smallint[])[1], ($6::bigint[])[1], ($7::bytea[])[1], ($8::bytea[])[1],
                    nullif($4::bytea, '')
                from store on conflict do nothing returning store
            ), others as (
                insert into firn.record (store, sequence, kind, date, link, frame, dictionary)
                select store, $2::bigint + n, ($5::smallint[])[n], ($6::bigint[])[n], ($7::bytea[])[n],
                    ($8::bytea[])[n], nullif($4::bytea, '')
                from beginning, unnest($6::bigint[]) with ordinality as date (date, n) where n > 1
            )
            select 1 from beginning
            """)

    public func append(_ run: FrameRun) throws -> AppendOutcome { try append(run, and: nil) }

    /// - Parameter change: what else is to be done in the same transaction, if the run is appended.
    func append(
        _ run: FrameRun, and change: ((PostgresConnection) throws -> Void)?
    ) throws -> AppendOutcome {
        guard run.start.storeID == storeID else {
            throw LogError(
                .storeMismatch, "These are frames of another store; nothing was written.", path: place,
                expected: storeID.uuidString, found: run.start.storeID.uuidString)
        }
        guard run.bytes.count <= Self.runSizeMax else {
            throw LogError(
                .recordTooLarge, "The save is too large for a log on a server; save in smaller steps.", path: place,
                expected: "at most \(Self.runSizeMax) bytes", found: "\(run.bytes.count)")
        }
        guard !run.isEmpty else {
            let end = try end()
            return end.link == run.start.link ? .appended : .conflict(end)
        }
        let parameters = self.parameters(run, dictionary: try run.dictionary.map(storeDictionary) ?? [])
        let statement = run.frames.count == 1 ? Self.appendOne : Self.appendSeveral
        var wasLost = false
        do {
            return try session.run { connection in
                do {
                    let isMade = try change.map { try perform(statement, parameters, and: $0, connection) }
                        ?? !connection.query(statement, parameters).isEmpty
                    return try outcome(of: run, isMade: isMade, wasLost: wasLost, connection)
                } catch let error as PostgresFailure {
                    // Also one that ends: its last commit may have waited for the standby.
                    if error.endsConnection { wasLost = true }
                    throw error
                }
            }
        } catch let error as LogError where wasLost {
            throw unknown(error)
        }
    }

    /// In a transaction of its own, which an append that is not made ends.
    private func perform(
        _ statement: PlannedStatement, _ parameters: [PostgresParameter],
        and change: (PostgresConnection) throws -> Void, _ connection: PostgresConnection
    ) throws -> Bool {
        try connection.perform("begin")
        do {
            let isMade = try !connection.query(statement.text, parameters).isEmpty
            if isMade { try change(connection) }
            try connection.perform("commit")
            return isMade
        } catch {
            // Whatever was begun must not be committed by a later statement.
            try? connection.perform("rollback")
            throw error
        }
    }

    /// - Parameter wasLost: whether an earlier try had no answer.
    private func outcome(
        of run: FrameRun, isMade: Bool, wasLost: Bool, _ connection: PostgresConnection
    ) throws -> AppendOutcome {
        // A wait for the standby that was broken off ends in success and a warning.
        func refuseWarnings() throws(PostgresFailure) {
            if let warning = connection.warnings.first { throw .lost(warning.asSentence) }
        }
        try refuseWarnings()
        let end = run.end
        if isMade {
            notifyFollowers(end.sequence, connection)
            return .appended
        }
        let (isThere, last) = try find(end, connection)
        try refuseWarnings()
        // A first try was not made, whatever was cut off since.
        guard let isMade = isThere ?? (wasLost ? nil : false) else {
            throw LogError(.missing, "Its place in the log was cut off meanwhile.", path: place)
        }
        return isMade ? .duplicate : .conflict(last)
    }

    private static let look = PlannedStatement(
        """
        with same as (
            select from firn.record where store = $1::uuid and sequence = $2::bigint and link = $3::bytea for update
        )
        select exists (select from same), exists (
                select from firn.record where store = $1::uuid and sequence = $2::bigint and link <> $3::bytea),
            coalesce(r.sequence, s.floor), coalesce(r.link, s.floor_link), coalesce(r.date, s.floor_date)
        from firn.store s left join lateral (
            select sequence, link, date from firn.record where store = $1::uuid order by sequence desc limit 1
        ) r on true where s.id = $1::uuid
        """)

    /// Whether the log has this very record, or was cut off right behind it, and where it ends. Nil if the record that
    /// has its number was cut off with later ones.
    ///
    /// An earlier try may have been acknowledged by nobody: its commit may not have reached the standby. The row is
    /// locked so that this transaction has something to commit, which cannot be acknowledged before what was committed
    /// earlier.
    private func find(
        _ place: LogCheckpoint, _ connection: PostgresConnection
    ) throws(PostgresFailure) -> (isThere: Bool?, end: LogCheckpoint) {
        let parameters = [id, .integer(Int64(place.sequence.rawValue)), .bytes(place.link.bytes)]
        let records = try connection.query(Self.look, parameters)
        // A store that was removed has nothing.
        if records.isEmpty { return (false, .beginning(of: storeID)) }
        let end = records.checkpoint(storeID, 0, 2)
        if records.integer(0, 0) != 0 { return (true, end) }
        // A number is given once; but the record may have been cut off, also since the last statement began.
        if records.integer(0, 1) != 0 || end.sequence < place.sequence { return (false, end) }
        let beginning = try connection.query(
            "select floor > $2::bigint, floor_link = $3::bytea from firn.store where id = $1::uuid for update",
            parameters)
        if beginning.isEmpty { return (false, end) }
        return (beginning.integer(0, 0) != 0 ? nil : beginning.integer(0, 1) != 0, end)
    }

    private func parameters(_ run: FrameRun, dictionary: [UInt8]) -> [PostgresParameter] {
        let place = [
            id, .integer(Int64(run.start.sequence.rawValue)), .bytes(run.start.link.bytes), .bytes(dictionary),
        ]
        if run.frames.count == 1 {
            let frame = run.frames[0]
            return place + [
                .integer(Int64(frame.kind.rawValue)), .integer(frame.date), .bytes(frame.link.bytes), .bytes(run.bytes),
            ]
        }
        let links = run.frames.flatMap(\.link.bytes)
        let linkSize = run.start.link.bytes.count
        return place + [
            .smallIntegers(run.frames.map { Int16($0.kind.rawValue) }),
            .integers(run.frames.map(\.date)),
            .pieces(run.frames.indices.map { $0 * linkSize..<($0 + 1) * linkSize }, of: links),
            .pieces(run.frames.map(\.range), of: run.bytes),
        ]
    }

    /// The answer to a later try does not say whether an earlier, unanswered statement was executed.
    private func unknown(_ error: LogError) -> LogError {
        LogError(
            .outcomeUnknown, "It could not be found out whether the record was appended. \(error.message)",
            path: place)
    }
}
