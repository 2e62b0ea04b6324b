import Synchronization

/// The shared log that a segment log is one machine's copy of: the connection to it, and what is known of it.
///
/// It connects when a connection is needed. While the server is unreachable, operations that need it fail. After a
/// failure no operation asks the server until it answered its watch, so that saves do not each wait for it. Without a
/// watch, operations fail for `SharedLogKind.pause`. Thread-safe.
public final class Upstream: Sendable {
    /// Where the shared log is, without passwords.
    public let place: String
    private let address: String
    private let kind: any SharedLogKind
    private let known = Mutex(Known())
    private let state = Mutex(UpstreamState())

    private struct Known {
        var log: (any ChangeLog)?
        /// When the server was last found unreachable, in microseconds of `SystemClock.uptime()`, and how.
        var failure: (time: Int64, error: LogError)?
        var isClosed = false
        /// Asks the server while it is unreachable; nil if there is none, or it does not report.
        var watch: (any ServerWatch)?
        /// Whether a watch asks the server while it is unreachable, or is about to be made.
        var isWatched = false
    }

    /// Throws `missing` where nobody registered a kind of log for the address's scheme, `notALog` for an address that
    /// is none.
    public init(_ address: String) throws {
        let scheme = SharedLogs.scheme(of: address) ?? "?"
        guard let kind = SharedLogs.kind(of: address) else {
            throw LogError(
                .missing,
                "Nothing in this program opens logs at \(scheme):// addresses; for postgresql:// import FirnPostgres "
                    + "and call PostgresLog.register() first.")
        }
        guard let place = kind.place(of: address) else {
            throw LogError(
                .notALog, "This is no address of a \(scheme) log; write it as \(scheme)://user@host/database#name.")
        }
        (self.address, self.kind, self.place) = (address, kind, place)
    }

    /// Uses a log that is open already, which is closed with this.
    package init(_ log: any ChangeLog) {
        (address, place) = (log.place, log.place)
        kind = OpenedLog(log: log)
        known.withLock { $0.log = log }
    }

    /// The state of the shared log as it is known now, without asking it.
    public var currentState: UpstreamState { state.withLock { $0 } }

    /// Opens the log; nil if there is none.
    public func open(expecting: StoreID?) throws -> (any ChangeLog)? {
        do {
            return try perform(expecting) { $0 }
        } catch let error as LogError where error.code == .missing && expecting == nil {
            return nil
        }
    }

    /// Makes the log; if another machine was faster, this is that machine's.
    public func create() throws -> any ChangeLog {
        do {
            let made = try kind.create(address, storeID: .random())
            known.withLock { $0.log = made }
            return made
        } catch let error as LogError where error.code == .alreadyExists {
            return try perform(nil) { $0 }
        }
    }

    /// Runs `body` with the open log, and records its failure in the state.
    ///
    /// - Parameters:
    ///   - ignoresPause: asks the server although it was unreachable a moment ago.
    ///   - asksServer: false if `body` gets by without an answer, so that its success says nothing about the server.
    package func perform<R>(
        _ expecting: StoreID?, ignoresPause: Bool = true, asksServer: Bool = true, _ body: (any ChangeLog) throws -> R
    ) throws -> R {
        if !ignoresPause { try checkPause() }
        do {
            let result = try body(try opened(expecting))
            if asksServer { recordSuccess() }
            return result
        } catch let error as LogError {
            if Self.isWithoutAnswer(error) { recordFailure(error) }
            state.withLock { $0.problem = error }
            throw error
        }
    }

    /// Whether the error means that no answer came.
    private static func isWithoutAnswer(_ error: LogError) -> Bool {
        error.code == .unreachable || error.code == .outcomeUnknown
    }

    private func recordSuccess() {
        known.withLock { $0.failure = nil }
        state.withLock {
            $0.problem = nil
            $0.lastContact = SystemClock.now()
        }
    }

    private func recordFailure(_ error: LogError) {
        let watch = known.withLock { known in
            let isFirst = known.failure == nil
            known.failure = (SystemClock.uptime(), error)
            return isFirst ? known.watch : nil
        }
        watch?.askNow()
    }

    /// Whether the last request had no answer.
    var isUnreachable: Bool { known.withLock { $0.failure != nil } }

    /// Leaves it to a watch to ask the server while it is unreachable. Call this before making the watch, which may
    /// take long. Nothing changes where watches do not report.
    package func beginWatching() { known.withLock { $0.isWatched = kind.watchesServer } }

    /// From now on this watch asks the server while it is unreachable; nil if there is no watch that reports.
    func watch(with watch: (any ServerWatch)?) { known.withLock { ($0.watch, $0.isWatched) = (watch, watch != nil) } }

    /// Records the server's answer to the watch: the log ends there.
    func recordEnd(_ end: LogCheckpoint) {
        state.withLock { state in
            state.head = end.sequence
            state.lastContact = SystemClock.now()
            // Other problems may persist.
            if state.problem.map(Self.isWithoutAnswer) == true { state.problem = nil }
        }
    }

    /// Records that the watch could not ask the server.
    func recordProblem(_ error: LogError) { state.withLock { $0.problem = error } }

    /// Records that the log has this record.
    func recordHead(_ sequence: SequenceNumber) { state.withLock { $0.head = max($0.head, sequence) } }

    func close() {
        let log = known.withLock { known in
            known.isClosed = true
            known.watch = nil
            return known.log
        }
        log?.close()
    }

    private func opened(_ expecting: StoreID?) throws -> any ChangeLog {
        let (log, isClosed) = known.withLock { ($0.log, $0.isClosed) }
        if isClosed { throw LogError(.closed, "The log was closed; open it again.", path: place) }
        if let log { return log }
        let made = try kind.open(address, expecting: expecting)
        let isLate = known.withLock { known in
            if known.isClosed || known.log != nil { return true }
            known.log = made
            return false
        }
        if !isLate { return made }
        made.close()
        return try opened(expecting)
    }

    /// Throws if the server was unreachable a moment ago, so that each save does not wait for it.
    private func checkPause() throws {
        let (failure, isWatched) = known.withLock { ($0.failure, $0.isWatched) }
        guard let failure, isWatched || SystemClock.uptime() - failure.time < kind.pause else { return }
        throw LogError(
            .unreachable, "The server is away; nothing was sent. \(failure.error.message)", path: place)
    }
}

/// The state of a shared log as one machine knows it.
public struct UpstreamState: Sendable {
    /// The last record that the log was seen to have.
    public internal(set) var head = SequenceNumber.zero
    /// When it last answered, in microseconds since 1970; nil if it never did.
    public internal(set) var lastContact: Int64?
    /// Why it cannot be asked, or what it refuses; nil while it answers.
    public internal(set) var problem: LogError?
}

/// A log that somebody opened before.
private struct OpenedLog: SharedLogKind {
    let log: any ChangeLog
    let pause: Int64 = 0
    let watchesServer = false

    func place(of address: String) -> String? { log.place }
    func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog { log }
    func create(_ address: String, storeID: StoreID) throws -> any ChangeLog { log }
    func destroy(_ address: String) throws {
        throw LogError(.refused, "A log that is open cannot be removed.", path: address)
    }
}
