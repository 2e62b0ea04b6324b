import FirnLog

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
