import FirnLog

/// A statement that the server of a connection plans once, and again each time the count of its executions has doubled:
/// the best plan for a table of a few rows, which reads all of them, is a bad one for a million.
struct PlannedStatement {
    let text: String
    /// Unique for each text: behind PgBouncer, sessions of several programs share prepared statements.
    let name: String

    init(_ text: String) {
        self.text = text
        var digest = RunningDigest()
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        // Names end after 63 bytes, of which `name(afterSending:)` needs some.
        name = "firn_\("\(digest.value)".prefix(32))"
    }

    /// The name of the prepared statement after `count` executions.
    func name(afterSending count: Int) -> String {
        let generation = max(0, Int.bitWidth - count.leadingZeroBitCount - Self.firstBits)
        return "\(name)_\(generation)"
    }

    /// The first plan serves as many executions as a number of this many bits can count.
    private static let firstBits = 6

    /// Whether this SQLSTATE says that a prepared statement is missing, or exists already: the session is another one
    /// than before, as behind PgBouncer in transaction mode.
    static func isStale(_ state: String) -> Bool { state == "26000" || state == "42P05" }
}
