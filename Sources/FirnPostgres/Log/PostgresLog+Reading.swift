public import FirnLog

extension PostgresLog {
    /// Rows that are looked at for one run.
    private static let frameCountMax: Int64 = 8192

    public func end() throws -> LogCheckpoint { try session.run { try end($0) } }

    /// Over a connection of its own.
    func end(_ connection: PostgresConnection) throws -> LogCheckpoint {
        try checkpoint(
            connection.query(
                """
                select coalesce(r.sequence, s.floor), coalesce(r.link, s.floor_link), coalesce(r.date, s.floor_date)
                from firn.store s left join lateral (
                    select sequence, link, date from firn.record where store = s.id order by sequence desc limit 1
                ) r on true where s.id = $1::uuid
                """, [id]))
    }

    public func beginning() throws -> LogCheckpoint {
        let rows = try session.run { connection in
            try connection.query(
                "select floor, floor_link, floor_date from firn.store where id = $1::uuid", [id])
        }
        return try checkpoint(rows)
    }

    private func checkpoint(_ rows: PostgresRows) throws -> LogCheckpoint {
        guard rows.count == 1 else {
            throw LogError(.replaced, "The store was removed from the database since it was opened.", path: place)
        }
        return rows.checkpoint(storeID, 0, 0)
    }

    public func frames(after place: LogCheckpoint, sizeMax: Int) throws -> FrameRun {
        guard place.storeID == storeID else {
            throw LogError(
                .storeMismatch, "This is the log of another store.", path: self.place,
                expected: place.storeID.uuidString, found: storeID.uuidString)
        }
        let rows = try session.run { connection in
            try connection.query(
                """
                select sequence, frame, dictionary from (
                    select sequence, frame, dictionary, sum(octet_length(frame)) over w - octet_length(frame) as before
                    from (
                        select sequence, frame, dictionary from firn.record
                        where store = $1::uuid and sequence > $2::bigint order by sequence limit $3::bigint
                    ) r window w as (order by sequence rows unbounded preceding)
                ) r where before < $4::bigint order by sequence
                """,
                [
                    id, .integer(Int64(place.sequence.rawValue)), .integer(Self.frameCountMax),
                    .integer(Int64(sizeMax)),
                ])
        }
        guard rows.count > 0, rows.integer(0, 0) == Int64(place.sequence.rawValue) + 1 else {
            try checkAgreement(place)
            guard rows.count == 0 else { throw gone(place.sequence.next) }
            return try FrameRun(checking: [], after: place, place: self.place)
        }
        let (count, dictionary) = Self.shared(rows)
        var bytes: [UInt8] = []
        bytes.reserveCapacity((0..<count).reduce(0) { $0 + rows.bytes($1, 1).count })
        for row in 0..<count { bytes += rows.bytes(row, 1) }
        do {
            return try FrameRun(
                checking: bytes, after: place, dictionary: try dictionary.map(self.dictionary), place: self.place)
        } catch {
            // The first frame may be chained to another record than the reader has.
            try checkAgreement(place)
            throw error
        }
    }

    /// How many of the rows share a dictionary, or need none, and which one it is.
    private static func shared(_ rows: PostgresRows) -> (count: Int, dictionary: [UInt8]?) {
        var dictionary: [UInt8]?
        for row in 0..<rows.count where !rows.isNull(row, 2) {
            let id = Array(rows.bytes(row, 2))
            if dictionary ?? id != id { return (row, dictionary) }
            dictionary = id
        }
        return (rows.count, dictionary)
    }

    /// Throws unless the log holds the record of `place` with its link, or was cut off right there.
    private func checkAgreement(_ place: LogCheckpoint) throws {
        let start = try beginning()
        if place.sequence < start.sequence {
            throw LogError(
                .missing, "The records after \(place.sequence) were cut off; start again with the baseline.",
                path: self.place, sequence: place.sequence.next, expected: "\(start.sequence.next) or later",
                found: "\(place.sequence.next)")
        }
        var link: ChainValue?
        if place.sequence == start.sequence {
            link = start.link
        } else {
            let rows = try session.run { connection in
                try connection.query(
                    "select link from firn.record where store = $1::uuid and sequence = $2::bigint",
                    [id, .integer(Int64(place.sequence.rawValue))])
            }
            if rows.count == 1 { link = ChainValue(bytes: rows.bytes(0, 0)) }
        }
        guard link == place.link else {
            throw LogError(
                .diverged,
                "The log does not have records that were read from it: go back to the last record that both have, and "
                    + "rebuild what was made from later ones.",
                path: self.place, sequence: place.sequence, expected: "\(place.link)",
                found: link.map { "\($0)" } ?? "no such record")
        }
    }

    private func gone(_ sequence: SequenceNumber) -> LogError {
        LogError(
            .damaged, "A record is gone.", path: place, sequence: sequence, expected: "record \(sequence)",
            found: "a later one")
    }

    public func attachment() throws -> [UInt8]? {
        let rows = try session.run { connection in
            try connection.query("select attachment from firn.store where id = $1::uuid", [id])
        }
        return rows.count == 0 || rows.isNull(0, 0) ? nil : Array(rows.bytes(0, 0))
    }

    public func store(attachment bytes: [UInt8]) throws {
        _ = try session.run { connection in
            try connection.query(
                "update firn.store set attachment = $2::bytea where id = $1::uuid", [id, .bytes(bytes)])
        }
    }
}
