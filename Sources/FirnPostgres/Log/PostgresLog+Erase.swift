public import FirnLog
import Synchronization

extension PostgresLog {
    /// In one transaction: the records that say so are appended, and what has the values is replaced. What the server's
    /// write-ahead log, its standbys' and its backups keep is theirs to forget; the rows' old versions go with the next
    /// `VACUUM`.
    public func erase(_ erasure: Erasure, header: TransactionHeader, lookingIn copy: SegmentLog) throws -> Int {
        let (beginning, end) = (try beginning(), try copy.end())
        guard copy.baseline <= beginning.sequence else {
            throw LogError(
                .missing, "This machine's copy begins later than the log; make a new copy to erase from.", path: place,
                sequence: beginning.sequence.next, expected: "record \(beginning.sequence.next)",
                found: "record \(copy.baseline.next)")
        }
        let search = try ErasureSearch(copy, erasure)
        var baseline: [UInt8]?
        if beginning.sequence > .zero {
            baseline = try search.redacted(baseline: wholeBaseline(beginning.sequence), of: beginning.sequence)
        }
        let run = try search.run(after: end, header: header)
        let outcome = try append(run) { connection in
            try self.refuseTrim(after: beginning, connection)
            try search.forEachFrame { try self.replace($0, with: $1, connection) }
            if let baseline { try self.replaceBaseline(of: beginning.sequence, with: baseline, connection) }
            try self.deleteUnusedDictionaries(connection)
        }
        if case .conflict = outcome {
            throw LogError(.overtaken, "Another machine saved first; erase again.", path: place)
        }
        dictionaries.withLock { $0 = [:] }
        return search.count
    }

    /// Throws if the log was trimmed meanwhile, because the new baseline has the values. From here on no machine trims
    /// until this transaction ends.
    private func refuseTrim(after beginning: LogCheckpoint, _ connection: PostgresConnection) throws {
        let floor = try connection.query("select floor from firn.store where id = $1::uuid", [id]).integer(0, 0)
        guard floor == Int64(beginning.sequence.rawValue) else {
            throw LogError(.overtaken, "Another machine trimmed the log meanwhile; erase again.", path: place)
        }
    }

    private func replace(
        _ sequence: SequenceNumber, with frame: [UInt8], _ connection: PostgresConnection
    ) throws {
        _ = try connection.query(
            """
            update firn.record set frame = $3::bytea, dictionary = null where store = $1::uuid and sequence = $2::bigint
            """, [id, .integer(Int64(sequence.rawValue)), .bytes(frame)])
    }

    private func replaceBaseline(
        of last: SequenceNumber, with bytes: [UInt8], _ connection: PostgresConnection
    ) throws {
        _ = try connection.query(
            "delete from firn.baseline where store = $1::uuid and through = $2::bigint",
            [id, .integer(Int64(last.rawValue))])
        for (number, start) in stride(from: 0, to: bytes.count, by: PostgresSchema.pieceSize).enumerated() {
            let piece = bytes[start..<min(bytes.count, start + PostgresSchema.pieceSize)]
            try PostgresSchema.insertPiece(number, of: last, Array(piece), id, connection)
        }
    }

    /// Deletes the dictionaries that no record is compressed with any more.
    private func deleteUnusedDictionaries(_ connection: PostgresConnection) throws {
        _ = try connection.query(
            """
            delete from firn.dictionary d where store = $1::uuid
                and not exists (select from firn.record r where r.store = $1::uuid and r.dictionary = d.id)
            """, [id])
    }

    /// Removes everything of a store.
    static func destroy(at address: PostgresAddress, options: PostgresOptions) throws {
        let log = try open(at: address, options: options)
        defer { log.close() }
        try log.session.run { connection in
            try connection.perform("begin")
            do {
                _ = try connection.query(PostgresSchema.exclusion, [log.id])
                _ = try connection.query(PostgresSchema.halt, [log.id])
                // Pieces of values go with the values.
                for table in ["record", "baseline", "dictionary", "value"] {
                    _ = try connection.query("delete from firn.\(table) where store = $1::uuid", [log.id])
                }
                _ = try connection.query("delete from firn.store where id = $1::uuid", [log.id])
                try connection.perform("commit")
            } catch {
                try? connection.perform("rollback")
                throw error
            }
        }
    }
}
