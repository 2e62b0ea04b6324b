public import FirnLog
import Synchronization

/// Large values, which records name by their SHA-256.
extension PostgresLog {
    public var hasExternalValues: Bool {
        get throws {
            try session.run { connection in
                try connection.query(
                    "select exists (select from firn.value where store = $1::uuid)::int::bigint", [id]
                ).integer(0, 0) != 0
            }
        }
    }

    public func externalReferences() throws -> [ExternalReference] {
        let rows = try session.run { connection in
            try connection.query("select id, size from firn.value where store = $1::uuid", [id])
        }
        return (0..<rows.count).map { row in
            ExternalReference(size: Int(rows.integer(row, 1)), digest: ChainValue(bytes: rows.bytes(row, 0)))
        }
    }

    public func holds(_ reference: ExternalReference) throws -> Bool {
        let rows = try session.run { connection in
            try connection.query(
                "select from firn.value where store = $1::uuid and id = $2::bytea",
                [id, .bytes(reference.digest.bytes)])
        }
        return rows.count > 0
    }

    /// In one transaction, in which nobody appends.
    public func remove(_ references: [ExternalReference], endingAt end: LogCheckpoint) throws -> Bool {
        try session.run { connection in
            try connection.perform("begin")
            do {
                _ = try connection.query(PostgresSchema.halt, [id])
                let isNewest = try self.end(connection).link == end.link
                for reference in references where isNewest {
                    _ = try connection.query(
                        "delete from firn.value where store = $1::uuid and id = $2::bytea",
                        [id, .bytes(reference.digest.bytes)])
                }
                try connection.perform("commit")
                return isNewest
            } catch {
                // Whatever was begun must not be committed by a later statement.
                try? connection.perform("rollback")
                throw error
            }
        }
    }

    public func externalValue(
        _ reference: ExternalReference, from offset: Int64, sizeMax: Int
    ) throws -> [UInt8] {
        if offset >= Int64(reference.size) { return [] }
        let size = Int64(PostgresSchema.pieceSize)
        let rows = try session.run { connection in
            try connection.query(
                """
                select substr(bytes, $4::int, $5::int) from firn.value_piece
                where store = $1::uuid and id = $2::bytea and piece = $3::bigint
                """,
                [
                    id, .bytes(reference.digest.bytes), .integer(offset / size), .text("\(offset % size + 1)"),
                    .text("\(sizeMax)"),
                ])
        }
        guard rows.count == 1 else {
            throw LogError(
                .damaged, "A value that is kept outside of the records is gone; restore it from a backup.", path: place,
                expected: reference.fileName, found: "nothing")
        }
        return Array(rows.bytes(0, 0))
    }

    /// All of it or nothing: in one transaction.
    public func store(_ reference: ExternalReference, piece: (_ offset: Int64) throws -> [UInt8]) throws {
        try session.run { connection in
            try connection.perform("begin")
            do {
                try insert(reference, piece, connection)
                try connection.perform("commit")
            } catch {
                // Whatever was begun must not be committed by a later statement.
                try? connection.perform("rollback")
                throw error
            }
        }
    }

    private func insert(
        _ reference: ExternalReference, _ piece: (Int64) throws -> [UInt8], _ connection: PostgresConnection
    ) throws {
        let name = PostgresParameter.bytes(reference.digest.bytes)
        // One that another program is just writing is waited for.
        let made = try connection.query(
            """
            insert into firn.value values ($1::uuid, $2::bytea, $3::bigint)
            on conflict do nothing returning id
            """, [id, name, .integer(Int64(reference.size))])
        if made.count == 0 { return }
        var offset: Int64 = 0
        var digest = RunningDigest()
        while true {
            let bytes = try wholePiece(from: offset, piece)
            if bytes.isEmpty { break }
            bytes.withUnsafeBytes { digest.update($0) }
            _ = try connection.query(
                "insert into firn.value_piece values ($1::uuid, $2::bytea, $3::bigint, $4::bytea)",
                [id, name, .integer(offset / Int64(PostgresSchema.pieceSize)), .bytes(bytes)])
            offset += Int64(bytes.count)
        }
        guard offset == Int64(reference.size), digest.value == reference.digest else {
            throw LogError(
                .damaged, "What came as a value that records name is another one; nothing was kept of it.", path: place,
                expected: "\(reference.size) bytes, \(reference.digest)", found: "\(offset) bytes, \(digest.value)")
        }
    }

    /// As many bytes as one row has, unless the value ends.
    private func wholePiece(from offset: Int64, _ piece: (Int64) throws -> [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < PostgresSchema.pieceSize {
            let more = try piece(offset + Int64(bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return Array(bytes.prefix(PostgresSchema.pieceSize))
    }
}

extension PostgresLog {
    /// Stores a dictionary in the database, before a record needs it; returns its SHA-256.
    func storeDictionary(_ bytes: [UInt8]) throws -> [UInt8] {
        if let known = dictionaries.withLock({ $0.first { $0.value == bytes }?.key }) { return known }
        let rows = try session.run { connection in
            _ = try connection.query(
                "insert into firn.dictionary values ($1::uuid, sha256($2::bytea), $2::bytea) on conflict do nothing",
                [id, .bytes(bytes)])
            return try connection.query("select sha256($1::bytea)", [.bytes(bytes)])
        }
        let name = Array(rows.bytes(0, 0))
        dictionaries.withLock { $0[name] = bytes }
        return name
    }

    /// The dictionary with that SHA-256. The chain of the frames verifies that it is the right one.
    func dictionary(_ name: [UInt8]) throws -> [UInt8] {
        if let known = dictionaries.withLock({ $0[name] }) { return known }
        let rows = try session.run { connection in
            try connection.query(
                "select bytes from firn.dictionary where store = $1::uuid and id = $2::bytea", [id, .bytes(name)])
        }
        guard rows.count == 1 else {
            throw LogError(.damaged, "A dictionary that records are compressed with is gone.", path: place)
        }
        let bytes = Array(rows.bytes(0, 0))
        dictionaries.withLock { $0[name] = bytes }
        return bytes
    }
}
