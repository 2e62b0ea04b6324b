import FirnLog

/// A statement that the server of a connection plans once.
struct PlannedStatement {
    let text: String
    /// Tells it from every other text: behind PgBouncer, sessions of several programs share what a server has planned.
    let name: String

    init(_ text: String) {
        self.text = text
        var digest = RunningDigest()
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        // Names end after 63 bytes.
        name = "firn_\("\(digest.value)".prefix(32))"
    }

    /// Whether the server says that it has not planned what it is told to do, or has planned what it is told to plan:
    /// it is not the session that was asked before, as behind PgBouncer in transaction mode.
    static func isAmiss(_ state: String) -> Bool { state == "26000" || state == "42P05" }
}
