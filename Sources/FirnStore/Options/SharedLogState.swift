package import FirnLog
public import Foundation

/// The state of a store's shared log as this machine knows it.
public struct SharedLogState: Sendable {
    /// Where the log is, without passwords.
    public let place: String
    /// The last record that this machine has, and that its fetches and its history know of.
    public let head: UInt64
    /// The last record that the log was seen to have. It is before `head` if the log was set back, of which `problem`
    /// tells with the code `diverged`.
    public let knownHead: UInt64
    /// When the log last answered; nil if it has not since the store was opened.
    public let lastContact: Date?
    /// Why saving fails: the server is away, refuses, or has other records. Nil while it answers. A store that is
    /// followed notices by itself, within moments, also in a process that only reads.
    public let problem: (any Error)?
}

extension URL {
    /// The URL of a store by its address as a text, which may name several hosts and ports:
    /// `postgresql://ada@db1:5432,db2:5432/library#Notes`. Nil if nothing in this program opens such addresses
    /// (`PostgresLog.register()`). Ours, not Apple's.
    public init?(sharedLog address: String) {
        guard let text = SharedLogs.url(of: address) else { return nil }
        self.init(string: text)
    }
}

extension SharedLogState {
    /// Nil for a log that is not shared. Asks nobody.
    package init?(_ log: SegmentLog) {
        guard let upstream = (log as? SharedCopy)?.upstream else { return nil }
        let state = upstream.currentState
        // What was seen a moment ago may be older than what was saved since.
        let isSetBack = state.problem?.code == .diverged
        self.init(
            place: upstream.place, head: log.head.rawValue,
            knownHead: (isSetBack ? state.head : max(state.head, log.head)).rawValue,
            lastContact: state.lastContact.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) },
            problem: state.problem)
    }
}
