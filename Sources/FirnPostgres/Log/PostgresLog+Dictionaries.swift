import FirnLog
import Synchronization

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
