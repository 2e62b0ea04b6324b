internal import Dispatch
internal import FirnSQLite
internal import Foundation
internal import Synchronization

/// Connections for reading. An idle connection keeps its read transaction open, and the next reader continues in it.
///
///     read       BEGIN … rows …                ┐ one view of the tables
///     read               … rows …              ┘ no lock, no check of the file
///     commit ──► edition + 1, COMMIT
///     read       BEGIN … rows …
///
/// A writer, or a thread that learns of another program's write, ends the idle transactions (`expire`). Those in use
/// end with their reader. An idle transaction also ends after `idleTime`, so it does not delay a reset of the
/// write-ahead log for longer than a slow reader. Each new transaction checks whether the file was replaced (a rebuild
/// renames a new one over it) or removed.
final class ConnectionPool: Sendable {
    /// A connection passes from one thread to another only through the pool's lock.
    private final class Reader: @unchecked Sendable {
        let tables: ProjectionReader
        let fileIdentity: UInt64?
        /// The pool's edition when the open transaction began; nil if none is open.
        var edition: UInt64?

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
        /// Incremented whenever somebody may have written.
        var edition: UInt64 = 0
        var willExpire = false

        mutating func expire() {
            edition += 1
            for reader in idle where reader.edition != nil { reader.end() }
        }
    }

    /// In milliseconds. An idle transaction ends after this time, as the tables may be this far behind other programs'
    /// saves.
    private static let idleTime = 10

    private let path: String?
    private let layout: TableLayout
    private let keepsTransactions: Bool
    private let state = Mutex(State())
    /// The reads that are under way.
    private let reads = DispatchGroup()

    init(path: String?, layout: TableLayout, keepsTransactions: Bool) {
        self.path = path
        self.layout = layout
        self.keepsTransactions = keepsTransactions
    }

    /// Runs `body` in a transaction, on a connection that is idle, or on one that `open` makes. If `isNews` is true of
    /// its result, reads that begin from now on see at least as much.
    func read<R>(
        _ open: () throws -> Connection, _ body: (ProjectionReader) throws -> R, isNews: (R) -> Bool = { _ in false }
    ) throws -> R {
        reads.enter()
        defer { reads.leave() }
        return try readWithReader(open, body, isNews)
    }

    /// A function of its own: a connection that it closes is closed when it returns.
    @inline(never)
    private func readWithReader<R>(
        _ open: () throws -> Connection, _ body: (ProjectionReader) throws -> R, _ isNews: (R) -> Bool
    ) throws -> R {
        let reader = try checkOut(open)
        do {
            let result = try body(reader.tables)
            if isNews(result) { expire(besides: reader) }
            checkIn(reader)
            return result
        } catch {
            reader.end()
            checkIn(reader)
            throw error
        }
    }

    private func checkOut(_ open: () throws -> Connection) throws -> Reader {
        let (idle, edition) = state.withLock { ($0.idle.popLast(), $0.edition) }
        if let idle, idle.edition == edition { return idle }
        idle?.end()
        let identity = path.flatMap(ProjectionFile.identity)
        let reader =
            try (idle?.fileIdentity == identity && !isStale(idle) ? idle : idleReader(of: identity))
            ?? Reader(ProjectionReader(open(), layout: layout), identity)
        try reader.begin(edition)
        return reader
    }

    /// Whether a connection was opened as immutable, and now another program writes.
    private func isStale(_ reader: Reader?) -> Bool {
        guard let path, reader?.tables.connection.mode == .immutable else { return false }
        return ProjectionFile.hasWriteAheadLog(path)
    }

    /// An idle reader of the file that is there now. Readers of replaced files are closed.
    private func idleReader(of identity: UInt64?) -> Reader? {
        state.withLock { state in
            state.idle.removeAll { $0.fileIdentity != identity || isStale($0) }
            let reader = state.idle.popLast()
            reader?.end()
            return reader
        }
    }

    private func checkIn(_ reader: Reader) {
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

    /// Reads that begin from now on see everything that is committed now.
    func expire(isLate: Bool = false) {
        state.withLock { state in
            if isLate { state.willExpire = false }
            state.expire()
        }
    }

    /// Reads that begin from now on see at least what `reader` sees, whose transaction stays open. Those of others may
    /// have begun before it.
    private func expire(besides reader: Reader) {
        state.withLock { state in
            let isCurrent = reader.edition == state.edition
            state.expire()
            if isCurrent { reader.edition = state.edition }
        }
    }

    func setIdleCountMax(_ count: Int) { state.withLock { $0.idleCountMax = max(count, 0) } }

    /// Closes the connections. Waits for reads that are under way, at most `timeout` seconds: one of this thread does
    /// not end.
    func close(timeout: TimeInterval) {
        setIdleCountMax(0)
        reset()
        _ = reads.wait(timeout: .now() + timeout)
    }

    /// Closes the idle connections, and ends the transactions of the others with their readers.
    func reset() {
        state.withLock { state in
            state.edition += 1
            state.idle.removeAll()
        }
    }
}
