public import FirnLog

extension PostgresLog {
    /// The largest run: PostgreSQL takes a statement of a gigabyte at most, and holds it more than once.
    private static let runSizeMax = 256 << 20

    /// What `firn.append` answers.
    private enum Answer {
        static let appended: Int64 = 0
        static let duplicate: Int64 = 1
    }

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
            return end.link == run.start.link ? .appended : .conflict(end.sequence)
        }
        let parameters = self.parameters(run, dictionary: try run.dictionary.map(keep) ?? [])
        var wasLost = false
        do {
            return try session.run { connection in
                do {
                    guard let change else { return outcome(try ask(parameters, connection), connection) }
                    return try ask(parameters, connection, and: change)
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
    private func ask(
        _ parameters: [PostgresParameter], _ connection: PostgresConnection,
        and change: (PostgresConnection) throws -> Void
    ) throws -> AppendOutcome {
        try connection.perform("begin")
        do {
            let rows = try ask(parameters, connection)
            if rows.integer(0, 0) == Answer.appended { try change(connection) }
            try connection.perform("commit")
            return outcome(rows, connection)
        } catch {
            // Whatever was begun must not be committed by a later statement.
            try? connection.perform("rollback")
            throw error
        }
    }

    private func ask(
        _ parameters: [PostgresParameter], _ connection: PostgresConnection
    ) throws(PostgresFailure) -> PostgresRows {
        let rows = try connection.query(
            """
            select outcome::bigint, head from firn.append($1::uuid, $2::bigint, $3::bytea,
                nullif($4::bytea, ''), $5::smallint[], $6::bigint[], $7::bytea[], $8::bytea[])
            """, parameters)
        // A wait for the standby that was broken off ends in success and a warning.
        if let warning = connection.warnings.first { throw .lost(warning.asSentence) }
        return rows
    }

    private func outcome(_ rows: PostgresRows, _ connection: PostgresConnection) -> AppendOutcome {
        let head = SequenceNumber(UInt64(rows.integer(0, 1)))
        switch rows.integer(0, 0) {
        case Answer.appended:
            // Outside of the append's transaction: notifying commits wait for each other, across all stores. If it
            // gets lost, followers look by themselves. The statement takes no parameters, and has only hexadecimal
            // digits and a number; `pg_notify`, which does, is planned like a query each time.
            try? connection.post("notify \"\(PostgresWatch.channel(storeID))\", '\(head)'", [])
            return .appended
        case Answer.duplicate: return .duplicate
        default: return .conflict(head)
        }
    }

    private func parameters(_ run: FrameRun, dictionary: [UInt8]) -> [PostgresParameter] {
        let links = run.frames.flatMap(\.link.bytes)
        let linkSize = run.start.link.bytes.count
        return [
            id, .integer(Int64(run.start.sequence.rawValue)), .bytes(run.start.link.bytes),
            .bytes(dictionary), .smallIntegers(run.frames.map { Int16($0.kind.rawValue) }),
            .integers(run.frames.map(\.date)),
            .pieces(run.frames.indices.map { $0 * linkSize..<($0 + 1) * linkSize }, of: links),
            .pieces(run.frames.map(\.range), of: run.bytes),
        ]
    }

    /// After a statement was sent and not answered, nothing that is answered to a later try tells what became of it.
    private func unknown(_ error: LogError) -> LogError {
        LogError(
            .outcomeUnknown,
            "It could not be found out whether the record was appended: append the same again. \(error.message)",
            path: place)
    }
}
