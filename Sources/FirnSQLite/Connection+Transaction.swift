internal import CSQLite

/// When a transaction acquires its locks (https://www.sqlite.org/lang_transaction.html).
package enum TransactionKind: Sendable {
    /// The first statement that reads acquires the snapshot.
    case deferred
    /// The write lock is acquired at once.
    case immediate
}

extension Connection {
    package func begin(_ kind: TransactionKind) throws {
        switch kind {
        case .deferred: try run("BEGIN DEFERRED")
        case .immediate: try run("BEGIN IMMEDIATE")
        }
    }

    package func commit() throws { try run("COMMIT") }

    /// Ends the transaction without its changes. Never fails: when SQLite has already rolled back by itself,
    /// there is nothing to do.
    package func rollback() {
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Runs `body` in a transaction that commits when `body` returns and rolls back when it throws.
    package func transaction<R>(_ kind: TransactionKind, _ body: () throws -> R) throws -> R {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Runs a cached statement without parameters and results.
    package func run(_ sql: String) throws {
        try withStatement(sql) { try $0.run() }
    }

    /// The first column of the first row as an integer; nil without a row or for a null.
    package func integer(_ sql: String) throws -> Int64? { try first(sql) { $0.integer(0) } }

    /// The first column of the first row as a text; nil without a row or for a null.
    package func text(_ sql: String) throws -> String? { try first(sql) { $0.text(0) } }

    private func first<Value>(_ sql: String, _ value: (Statement) -> Value) throws -> Value? {
        try withStatement(sql) { try $0.step() && !$0.isNull(0) ? value($0) : nil }
    }
}
