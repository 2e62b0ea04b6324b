public import FirnLog
import Synchronization

/// A change log on a PostgreSQL server, which any number of machines append to and follow.
///
/// Every record has the bytes that it has in a segment. What an acknowledged append survives is decided by the server's
/// `synchronous_commit` and its standbys (`acknowledgement()`). After a lost connection it
/// connects and retries until `PostgresOptions.timeout`. It uses one connection, one thread at a time.
public final class PostgresLog: ChangeLog {
    public let storeID: StoreID
    public let address: PostgresAddress
    public let options: PostgresOptions
    let session: PostgresSession
    /// The store's UUID as a parameter.
    let id: PostgresParameter
    /// The channel of notifications about the store's records.
    let channel: String
    let notifyThrottle: Mutex<NotifyThrottle>
    /// Dictionaries that the database is known to have, by their SHA-256.
    let dictionaries = Mutex<[[UInt8]: [UInt8]]>([:])

    private init(_ session: PostgresSession, storeID: StoreID, options: PostgresOptions) {
        self.session = session
        self.storeID = storeID
        self.options = options
        address = session.address
        notifyThrottle = Mutex(NotifyThrottle(interval: options.notifyInterval))
        id = .text(storeID.uuidString)
        channel = "firn_" + storeID.uuidString.lowercased()
    }

    /// Makes a log without records, and the tables if this is the database's first one.
    ///
    /// Throws `alreadyExists` if the database has a store of this name or this UUID; `notALog` and
    /// `unsupportedVersion` if its schema `firn` is another one.
    ///
    /// - Parameter source: a log to be continued here, which may have been trimmed: the new one begins where it begins,
    ///   with its baseline.
    public static func create(
        at address: PostgresAddress, storeID: StoreID, continuing source: (any ChangeLog)? = nil,
        options: PostgresOptions = PostgresOptions()
    ) throws -> PostgresLog {
        let session = PostgresSession(address, options: options, forWriting: true)
        let log = PostgresLog(session, storeID: storeID, options: options)
        let beginning = try source?.beginning() ?? .beginning(of: storeID)
        try session.runOnce { connection in
            if try !PostgresSchema.isThere(connection, session.place) {
                try connection.perform(PostgresSchema.installation)
            }
            try connection.perform("begin")
            do {
                try log.insert(beginning, connection)
                try log.copyBaseline(of: beginning.sequence, from: source, connection)
                try connection.perform("commit")
            } catch {
                try? connection.perform("rollback")
                throw error
            }
        }
        try log.refuseWeakServers()
        return log
    }

    private func insert(_ beginning: LogCheckpoint, _ connection: PostgresConnection) throws {
        let made = try connection.query(
            """
            insert into firn.store (id, name, format, floor, floor_link, floor_date)
            values ($1::uuid, $2, $3::bigint, $4::bigint, $5::bytea, $6::bigint)
            on conflict do nothing returning id
            """,
            [
                id, .text(address.storeName), .integer(1), .integer(Int64(beginning.sequence.rawValue)),
                .bytes(beginning.link.bytes), .integer(beginning.date),
            ])
        if made.count == 0 {
            throw LogError(
                .alreadyExists,
                "The database has a store of this name or this UUID already; open it, or choose another name.",
                path: place)
        }
    }

    private func copyBaseline(
        of last: SequenceNumber, from source: (any ChangeLog)?, _ connection: PostgresConnection
    ) throws {
        guard let source, last > .zero else { return }
        var number = 0
        while true {
            let offset = Int64(number * PostgresSchema.pieceSize)
            let piece = try source.baseline(of: last, from: offset, sizeMax: PostgresSchema.pieceSize)
            if piece.isEmpty { return }
            try PostgresSchema.insertPiece(number, of: last, piece, id, connection)
            number += 1
        }
    }

    /// Opens a log that is there. Nothing is written.
    ///
    /// Throws `missing` if there is none of this name; `storeMismatch` if its UUID is not the expected one.
    public static func open(
        at address: PostgresAddress, expecting: StoreID? = nil, forWriting: Bool = true,
        options: PostgresOptions = PostgresOptions()
    ) throws -> PostgresLog {
        let session = PostgresSession(address, options: options, forWriting: forWriting)
        let found = try session.runOnce { connection in
            guard try PostgresSchema.isThere(connection, session.place) else {
                throw LogError(.missing, "There is no log in this database; push one first.", path: session.place)
            }
            try PostgresSchema.complete(connection)
            return try connection.query(
                "select id::text, format from firn.store where name = $1", [.text(address.storeName)])
        }
        guard found.count == 1, let storeID = StoreID(uuidString: found.text(0, 0)) else {
            throw LogError(
                .missing, "The database has no store of this name; push one first, or name another.",
                path: session.place)
        }
        guard found.integer(0, 1) == 1 else {
            throw LogError(
                .unsupportedVersion, "A newer version writes this log; update the program to read it.",
                path: session.place, expected: "format 1", found: "format \(found.integer(0, 1))")
        }
        if let expecting, expecting != storeID {
            throw LogError(
                .storeMismatch, "This is the log of another store; name the right one. Nothing was written.",
                path: session.place, expected: expecting.uuidString, found: storeID.uuidString)
        }
        let log = PostgresLog(session, storeID: storeID, options: options)
        try log.refuseWeakServers()
        return log
    }

    public var place: String { session.place }

    public func close() {
        session.useNow { connection in
            if let last = notifyThrottle.withLock({ $0.end() }) { notify(last, connection) }
        }
        session.close()
    }

    /// Changes a setting of the present session; the next session has the address's settings again.
    package func set(_ setting: String, to value: String) throws {
        try session.runOnce { try $0.perform("set \(setting) = \(value)") }
    }
}

extension ChainValue {
    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

extension PostgresRows {
    /// Three columns as a place in a log: sequence number, link and date.
    func checkpoint(_ storeID: StoreID, _ row: Int, _ column: Int) -> LogCheckpoint {
        LogCheckpoint(
            storeID: storeID, sequence: SequenceNumber(UInt64(integer(row, column))), date: integer(row, column + 2),
            link: ChainValue(bytes: bytes(row, column + 1)))
    }
}

extension PostgresLog {
    /// From now on stores can be opened at `postgresql://` and `postgres://` URLs. To be called once, before the first
    /// is; a later call changes the options of those that are opened after it.
    public static func register(options: PostgresOptions = PostgresOptions(timeout: 10_000_000)) {
        for scheme in PostgresAddress.schemes { SharedLogs.register(PostgresKind(options: options), for: scheme) }
    }
}

/// Logs on PostgreSQL servers, for who knows of kinds of logs only.
private struct PostgresKind: SharedLogKind {
    let options: PostgresOptions
    let pause: Int64 = 1_000_000
    let watchesServer = true

    func place(of address: String) -> String? { PostgresAddress(address)?.description }
    func url(of address: String) -> String? { PostgresAddress(address)?.urlText }

    func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog {
        try PostgresLog.open(at: try parsed(address), expecting: expecting, options: options)
    }

    func create(_ address: String, storeID: StoreID) throws -> any ChangeLog {
        try PostgresLog.create(at: try parsed(address), storeID: storeID, options: options)
    }

    func destroy(_ address: String) throws {
        try PostgresLog.destroy(at: try parsed(address), options: options)
    }

    private func parsed(_ address: String) throws -> PostgresAddress {
        if let parsed = PostgresAddress(address) { return parsed }
        throw LogError(.notALog, "This is no address of a log; write it as postgresql://user@host/database#name.")
    }
}
