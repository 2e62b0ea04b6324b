public import FirnLog

extension PostgresLog {
    /// The baseline is made first, without keeping anybody from appending; then it takes the records' place in one
    /// transaction. It is held in memory meanwhile. A `last` that was cut off before changes nothing.
    public func trim(
        through last: SequenceNumber, knowing known: SequenceNumber,
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        let start = try beginning()
        if last <= start.sequence { return }
        let rows = try session.run { connection in
            try connection.query(
                "select sequence, link, date from firn.record where store = $1::uuid and sequence = $2::bigint",
                [id, .integer(Int64(last.rawValue))])
        }
        guard rows.count == 1 else {
            throw LogError(.missing, "There is no record \(last) yet.", path: place, sequence: last)
        }
        let end = rows.checkpoint(storeID, 0, 0)
        let bytes = try BaselineBytes.make(at: end, models: try models(from: start, through: end), state)
        try session.run { connection in
            do {
                try put(bytes, at: end, knowing: known, connection)
            } catch {
                // Whatever was begun must not be committed by a later statement.
                try? connection.perform("rollback")
                throw error
            }
        }
    }

    private func put(
        _ bytes: [UInt8], at end: LogCheckpoint, knowing known: SequenceNumber, _ connection: PostgresConnection
    ) throws {
        let last = PostgresParameter.integer(Int64(end.sequence.rawValue))
        try connection.perform("begin")
        _ = try connection.query(PostgresSchema.exclusion, [id])
        let floor = try connection.query("select floor from firn.store where id = $1::uuid", [id])
        guard floor.count == 1, floor.integer(0, 0) < Int64(end.sequence.rawValue) else {
            return try connection.perform("rollback")
        }
        for (number, start) in stride(from: 0, to: bytes.count, by: PostgresSchema.pieceSize).enumerated() {
            let piece = bytes[start..<min(bytes.count, start + PostgresSchema.pieceSize)]
            try PostgresSchema.insertPiece(number, of: end.sequence, Array(piece), id, connection)
        }
        _ = try connection.query(PostgresSchema.halt, [id])
        try refuseErasures(after: known, connection)
        _ = try connection.query(
            """
            update firn.store set floor = $2::bigint, floor_link = $3::bytea, floor_date = $4::bigint
            where id = $1::uuid
            """, [id, last, .bytes(end.link.bytes), .integer(end.date)])
        for old in ["firn.baseline where through < ", "firn.record where sequence <= "] {
            _ = try connection.query("delete from \(old) $2::bigint and store = $1::uuid", [id, last])
        }
        try connection.perform("commit")
    }

    /// While nobody else appends.
    private func refuseErasures(after known: SequenceNumber, _ connection: PostgresConnection) throws {
        let later = try connection.query(
            "select from firn.record where store = $1::uuid and sequence > $2::bigint and kind = $3::bigint limit 1",
            [id, .integer(Int64(known.rawValue)), .integer(Int64(FrameKind.erasure.rawValue))])
        if !later.isEmpty { throw LogError.erasedMeanwhile(place) }
    }

    /// The models of the active baseline and of the records up to `end`.
    private func models(
        from start: LogCheckpoint, through end: LogCheckpoint
    ) throws -> [(SequenceNumber, LogModel)] {
        var models: [(SequenceNumber, LogModel)] = []
        if start.sequence > .zero { models = try BaselineBytes.models(in: wholeBaseline(start.sequence), of: start) }
        let decoder = FrameDecoder()
        var place = start
        while place.sequence < end.sequence {
            let run = try frames(after: place, sizeMax: PostgresSchema.pieceSize)
            guard !run.isEmpty else { break }
            // Models are few: the other records are not decoded.
            for frame in run.frames where frame.kind == .model && frame.sequence <= end.sequence {
                let record = try decoder.record(frame, of: run, place: self.place)
                if case .model(let model) = record.body { models.append((frame.sequence, model)) }
            }
            place = run.end
        }
        return models
    }

    func wholeBaseline(_ last: SequenceNumber) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try baseline(of: last, from: Int64(bytes.count), sizeMax: PostgresSchema.pieceSize)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    public func baseline(of last: SequenceNumber, from offset: Int64, sizeMax: Int) throws -> [UInt8] {
        let size = Int64(PostgresSchema.pieceSize)
        let rows = try session.run { connection in
            try connection.query(
                """
                select s.floor, substr(b.bytes, $4::int, $5::int)
                from firn.store s left join firn.baseline b
                    on b.store = s.id and b.through = s.floor and b.piece = $3::bigint
                where s.id = $1::uuid and s.floor = $2::bigint and s.floor > 0
                """,
                [
                    id, .integer(Int64(last.rawValue)), .integer(offset / size), .text("\(offset % size + 1)"),
                    .text("\(sizeMax)"),
                ])
        }
        guard rows.count == 1 else {
            throw LogError(
                .missing, "The baseline is not there (any more); ask where the log begins.", path: place,
                sequence: last)
        }
        return rows.isNull(0, 1) ? [] : Array(rows.bytes(0, 1))
    }
}
