internal import Dispatch
internal import FirnSQLite
internal import Synchronization

/// Connections for reading, each left as its last reader left it: in a transaction that the next one goes on with.
///
///     read       BEGIN … rows …                ┐ one view of the tables
///     read               … rows …              ┘ no lock taken, no file asked about
///     commit ──► edition + 1, COMMIT
///     read       BEGIN … rows …
///
/// A transaction goes on while nobody is known to have written: who writes, or learns that another program did, ends
/// the idle ones (`expire`), and those in use end with their reader. It also ends by itself a moment later. So it keeps
/// others from starting the write-ahead log anew no longer than a slow reader would, and a file that was replaced (a
/// rebuild renames a new one over it) or thrown away is noticed when the next one begins.
final class ConnectionPool: Sendable {
    /// A connection goes from one thread to another only through the pool's lock.
    private final class Reader: @unchecked Sendable {
        let tables: ProjectionReader
        let fileIdentity: UInt64?
        /// That of the pool when the open transaction began; nil if none is open.
        @exclusivity(unchecked) var edition: UInt64?

        init(_ tables: ProjectionReader, _ fileIdentity: UInt64?) {
            self.tables = tables
            self.fileIdentity = fileIdentity
        }

        func begin(_ edition: UInt64) throws {
            try tables.connection.begin(.deferred)
            self.edition = edition
        }

        func end() {
            edition = nil
            if (try? tables.connection.commit()) == nil { tables.connection.rollback() }
        }
    }

    private struct State {
        var idle: [Reader] = []
        var idleCountMax = 8
        /// Another one since somebody may have written.
        var edition: UInt64 = 0
        var willExpire = false
    }

    /// An idle transaction ends after so many milliseconds: as many as the tables may be behind for other programs.
    private static let idleTime = 10

    private let path: String?
    private let layout: TableLayout
    private let keepsTransactions: Bool
    private let state = Mutex(State())

    init(path: String?, layout: TableLayout, keepsTransactions: Bool) {
        self.path = path
        self.layout = layout
        self.keepsTransactions = keepsTransactions
    }

    /// Runs `body` in a transaction, on a connection that is idle, or on one that `open` makes.
    func read<R>(_ open: () throws -> Connection, _ body: (ProjectionReader) throws -> R) throws -> R {
        let reader = try take(open)
        do {
            let result = try body(reader.tables)
            give(reader)
            return result
        } catch {
            reader.end()
            give(reader)
            throw error
        }
    }

    private func take(_ open: () throws -> Connection) throws -> Reader {
        let (kept, edition) = state.withLock { ($0.idle.popLast(), $0.edition) }
        if let kept, kept.edition == edition { return kept }
        kept?.end()
        let identity = path.flatMap(ProjectionFile.identity)
        let reader =
            try (kept?.fileIdentity == identity && !isStale(kept) ? kept : idleReader(of: identity))
            ?? Reader(ProjectionReader(open(), layout: layout), identity)
        try reader.begin(edition)
        return reader
    }

    /// Whether a connection took the file for one that nobody changes, and now somebody does.
    private func isStale(_ reader: Reader?) -> Bool {
        guard let path, reader?.tables.connection.mode == .immutable else { return false }
        return Projection.hasWriteAheadLog(path)
    }

    /// One that has the file open that is there now. The others go.
    private func idleReader(of identity: UInt64?) -> Reader? {
        state.withLock { state in
            state.idle.removeAll { $0.fileIdentity != identity || isStale($0) }
            let reader = state.idle.popLast()
            reader?.end()
            return reader
        }
    }

    private func give(_ reader: Reader) {
        let (isKept, expires) = state.withLock { state in
            guard reader.edition == state.edition, keepsTransactions, state.idle.count < state.idleCountMax else {
                return (false, false)
            }
            state.idle.append(reader)
            defer { state.willExpire = true }
            return (true, !state.willExpire)
        }
        if expires {
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Self.idleTime)) {
                self.expire(isLate: true)
            }
        }
        if isKept { return }
        reader.end()
        state.withLock { state in
            if state.idle.count < state.idleCountMax { state.idle.append(reader) }
        }
    }

    /// Whoever reads from now on sees what is committed now.
    func expire() { expire(isLate: false) }

    private func expire(isLate: Bool) {
        state.withLock { state in
            if isLate { state.willExpire = false }
            state.edition += 1
            for reader in state.idle where reader.edition != nil { reader.end() }
        }
    }

    func setIdleCountMax(_ count: Int) { state.withLock { $0.idleCountMax = max(count, 0) } }

    /// Closes the idle connections, and the others when their readers are done.
    func close() {
        setIdleCountMax(0)
        reset()
    }

    /// Closes the idle connections, and ends the transactions of the others with their readers.
    func reset() {
        state.withLock { state in
            state.edition += 1
            state.idle.removeAll()
        }
    }
}
