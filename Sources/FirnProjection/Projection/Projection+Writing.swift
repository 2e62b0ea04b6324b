package import Foundation
package import FirnLog
internal import FirnSQLite
internal import Synchronization

extension Projection {
    /// Opens a write transaction, which the caller ends with `commit` or `rollback` on the same thread. It needs no
    /// writer's lock of the log: SQLite lets one program write at a time, and the tables say what they have.
    package func begin() throws {
        guard !isReadOnly else {
            fatalError("this projection was opened for reading only")
        }
        lock.lock()
        do {
            guard !isWriting else {
                fatalError("end the write transaction before the next one begins")
            }
            try reopenIfReplaced()
            guard let session else { throw notOpen }
            try session.connection.begin(.immediate)
            do {
                try session.load()
            } catch {
                session.connection.rollback()
                throw error
            }
            isWriting = true
            pool.expire()
            checkpoint = session.checkpoint
        } catch {
            lock.unlock()
            throw error
        }
    }

    /// Waits for another thread's write transaction, at most `seconds`, and returns whether none is open. Returns false
    /// at once if this thread has one open. Another transaction may begin right after.
    package func isFree(waiting seconds: TimeInterval) -> Bool {
        guard lock.lock(before: Date(timeIntervalSinceNow: seconds)) else { return false }
        defer { lock.unlock() }
        return !isWriting
    }

    /// Applies the record after the checkpoint. After an error the transaction can only be rolled back.
    package func apply(_ record: LogRecord) throws {
        try writing().apply(record)
    }

    package func apply(_ changes: ChangeSet, at sequence: SequenceNumber) throws {
        try writing().apply(changes, at: sequence)
    }

    /// Whether the open transaction should be committed, and another one begin.
    package var isTransactionLarge: Bool { writing().isTransactionLarge }

    /// Registers a model from the log before the checkpoint: later records may use its terms.
    package func remember(_ model: LogModel, at sequence: SequenceNumber) {
        writing().remember(model, at: sequence)
    }

    /// Commits rows and checkpoint together. An error leaves the transaction rolled back: the log still has what
    /// was applied, and the projection is behind. With a `mark`, opening can tell whether the log still holds what was
    /// applied, and whether it was durable.
    package func commit(_ mark: LogMark? = nil) throws {
        defer { endWriting() }
        try commitSession(mark)
    }

    /// A function of its own: nothing refers to the session when the lock is unlocked, and somebody may close it.
    @inline(never)
    private func commitSession(_ mark: LogMark?) throws {
        let session = writing()
        defer { session.connection.rollback() }
        try session.store(mark)
        // An idle reader would prevent a complete checkpoint of the write-ahead log.
        pool.expire()
        try session.connection.commit()
        pool.expire()
        checkpoint = session.checkpoint
        isWALLarge.store(session.connection.needsWALCheckpoint, ordering: .relaxed)
    }

    package func rollback() {
        writing().connection.rollback()
        endWriting()
    }

    private func endWriting() {
        isWriting = false
        lock.unlock()
    }

    /// The last record applied in the open transaction.
    package var appliedInTransaction: SequenceNumber { writing().checkpoint }

    /// The last primary key that was assigned in each root entity, according to the log's records. In the open
    /// transaction.
    package var lastKeys: [EntityNumber: Int64] { writing().lastKeys }

    /// Closes the file, after reads and a write transaction of other threads have ended. The projection must not be
    /// used afterwards. Connections of readers that come too late are closed at once.
    ///
    /// A file must be closed before another one replaces it. SQLite removes the write-ahead log by its name, and would
    /// remove that of the other file.
    package func closeFile() {
        // The last connection to close moves the write-ahead log into the file. Those of readers cannot.
        pool.close(timeout: 5)
        lock.lock()
        defer { lock.unlock() }
        guard !isWriting else {
            fatalError("end the write transaction before the projection is closed")
        }
        session = nil
        fileIdentity = nil
    }

    /// Assigns the tables to the model that `record` carries, which differs from this one's only in its document. In
    /// the open transaction, instead of `apply`.
    package func adopt(_ record: SequenceNumber, of successor: StoreSchema) throws {
        let session = writing()
        // A program that reads with the old model may have applied the record first.
        if session.checkpoint < record { try session.skip(record) }
        let identity = ProjectionIdentity(
            layout: successor.layout, storeID: storeID, modelSequence: record,
            fingerprint: successor.layout.fingerprint)
        try identity.describe(on: session.connection, checkpoint: record)
    }

    /// Reads in the open write transaction, with what it has written.
    package var transactionReader: ProjectionReader {
        ProjectionReader(writing().connection, layout: layout)
    }

    private func writing() -> TableWriter {
        guard isWriting, let session else {
            fatalError("call begin() before writing to a projection")
        }
        return session
    }

    /// A rebuild in another process puts another file at the path.
    func reopenIfReplaced() throws {
        guard let path = location.path, let fileIdentity else { return }
        guard ProjectionFile.identity(path) != fileIdentity else { return }
        session = nil
        let (fresh, state) = try openedAgain(isReadOnly: isReadOnly)
        guard let connection = fresh.session?.connection, state == .behind || state == .ready else {
            throw notOpen
        }
        fresh.session = nil
        try use(connection)
    }
}
