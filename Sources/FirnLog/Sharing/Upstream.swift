import Synchronization

/// The shared log that a segment log is one machine's copy of: the connection to it, and what is known of it.
///
/// The connection is made when it is needed. While the server is away, what needs it fails. After a failure it is not
/// tried again until the server answered its watch, so that saves do not each wait for a server that is not there.
/// Where no watch reports, it is not tried again for a moment. Thread-safe.
public final class Upstream: Sendable {
    /// Where the shared log is, without passwords.
    public let place: String
    private let address: String
    private let kind: any SharedLogKind
    private let known = Mutex(Known())
    private let state = Mutex(UpstreamState())

    private struct Known {
        var log: (any ChangeLog)?
        /// When the server was last found away, in microseconds since 1970.
        var failure: (date: Int64, error: LogError)?
        var isClosed = false
        /// Asks the server while it is away; nil if there is none, or it does not report.
        var watch: (any ServerWatch)?
        /// Whether somebody asks the server while it is away: the watch, or who is about to make it.
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

    /// What is known of the shared log now. Asks nobody.
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

    /// Runs `body` with the open log. What it throws is noted.
    ///
    /// - Parameters:
    ///   - isPatient: asks the server although it was found away.
    ///   - asksServer: false if `body` gets by without an answer, so that its success says nothing about the server.
    package func perform<R>(
        _ expecting: StoreID?, isPatient: Bool = true, asksServer: Bool = true, _ body: (any ChangeLog) throws -> R
    ) throws -> R {
        if !isPatient { try refuseHaste() }
        do {
            let result = try body(try opened(expecting))
            if asksServer { noteSuccess() }
            return result
        } catch let error as LogError {
            if Self.isSilence(error) { noteFailure(error) }
            state.withLock { $0.problem = error }
            throw error
        }
    }

    /// Whether no answer came.
    private static func isSilence(_ error: LogError) -> Bool {
        error.code == .unreachable || error.code == .outcomeUnknown
    }

    private func noteSuccess() {
        known.withLock { $0.failure = nil }
        state.withLock {
            $0.problem = nil
            $0.lastContact = SystemCall.now()
        }
    }

    private func noteFailure(_ error: LogError) {
        let watch = known.withLock { known in
            let isFirst = known.failure == nil
            known.failure = (SystemCall.now(), error)
            return isFirst ? known.watch : nil
        }
        watch?.askNow()
    }

    /// Whether the server was found away, and has answered nobody since.
    var isAway: Bool { known.withLock { $0.failure != nil } }

    /// Somebody tries to make a watch, for as long as it takes.
    func beginWatching() { known.withLock { $0.isWatched = true } }

    /// From now on this watch asks the server while it is away; nil if none does that reports what it sees.
    func watch(with watch: (any ServerWatch)?) { known.withLock { ($0.watch, $0.isWatched) = (watch, watch != nil) } }

    /// The server answered the watch: the log ends there.
    func saw(_ end: LogCheckpoint) {
        state.withLock { state in
            state.head = end.sequence
            state.lastContact = SystemCall.now()
            // What else is wrong may be wrong yet.
            if state.problem.map(Self.isSilence) == true { state.problem = nil }
        }
    }

    /// The watch found that the server cannot be asked.
    func saw(_ error: LogError) { state.withLock { $0.problem = error } }

    /// The log was seen to have this record.
    func note(_ sequence: SequenceNumber) { state.withLock { $0.head = max($0.head, sequence) } }

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

    /// Throws if the server was found away, and it is not this caller's turn to ask it again.
    private func refuseHaste() throws {
        let (failure, isWatched) = known.withLock { ($0.failure, $0.isWatched) }
        guard let failure, isWatched || SystemCall.now() - failure.date < kind.pause else { return }
        throw LogError(
            .unreachable, "The server is away; nothing was sent. \(failure.error.message)", path: place)
    }
}

/// What one machine knows of a shared log.
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

    func place(of address: String) -> String? { log.place }
    func open(_ address: String, expecting: StoreID?) throws -> any ChangeLog { log }
    func create(_ address: String, storeID: StoreID) throws -> any ChangeLog { log }
    func destroy(_ address: String) throws {
        throw LogError(.refused, "A log that is open cannot be removed.", path: address)
    }
}
