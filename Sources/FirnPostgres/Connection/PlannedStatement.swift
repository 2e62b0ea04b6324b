import FirnLog

/// A statement that the server of a connection plans once, and anew each time it was sent twice as often: what is best
/// for a table of a few rows, which is to read all of them, must not be kept for one of a million.
struct PlannedStatement {
    let text: String
    /// Tells it from every other text: behind PgBouncer, sessions of several programs share what a server has planned.
    let name: String

    init(_ text: String) {
        self.text = text
        var digest = RunningDigest()
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        // Names end after 63 bytes, of which `name(afterSending:)` needs some.
        name = "firn_\("\(digest.value)".prefix(32))"
    }

    /// Under which name the server is to plan it, or has, when it was sent so often.
    func name(afterSending count: Int) -> String {
        let generation = max(0, Int.bitWidth - count.leadingZeroBitCount - Self.firstBits)
        return "\(name)_\(generation)"
    }

    /// So many times in bits it is sent with the first plan.
    private static let firstBits = 6

    /// Whether the server says that it has not planned what it is told to do, or has planned what it is told to plan:
    /// it is not the session that was asked before, as behind PgBouncer in transaction mode.
    static func isAmiss(_ state: String) -> Bool { state == "26000" || state == "42P05" }
}
