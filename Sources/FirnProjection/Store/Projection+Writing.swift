package import Foundation
package import FirnLog
internal import FirnSQLite
internal import Synchronization

extension Projection {
    /// Opens a write transaction. The caller holds the log's writer lock, and ends the transaction with `commit` or
    /// `rollback` on the same thread.
    ///
    /// - Parameter head: the log's last record, if the caller knows: less has to be read where this projection was the
    ///   last to apply one.
    package func begin(head: SequenceNumber? = nil) throws {
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
                try session.load(head: head)
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

    /// Whether no thread writes, once another one that does is done, which is waited for so long at most. False at once
    /// if it is this thread that writes. Another one may begin at once.
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

    /// Applies a change set, lets `body` read the rows as it leaves them, and takes it back. In the open transaction.
    package func trying<R>(
        _ changes: ChangeSet, at sequence: SequenceNumber, _ body: (ProjectionReader) throws -> R
    ) throws -> R {
        try writing().trying(changes, at: sequence) { try body(transactionReader) }
    }

    /// Tells of a model that stands in the log before the checkpoint, in whose terms records to come may be.
    package func remember(_ model: LogModel, at sequence: SequenceNumber) {
        writing().remember(model, at: sequence)
    }

    /// Commits rows and checkpoint together. An error leaves the transaction rolled back: the log still has what
    /// was applied, and the projection is behind. With a `mark`, opening can tell whether the log still holds what was
    /// applied, and whether it was durable.
    package func commit(_ mark: LogMark? = nil) throws {
        let session = writing()
        defer { end(session) }
        try session.store(mark)
        // An idle reader would keep SQLite from moving all of the write-ahead log into the file.
        pool.expire()
        try session.connection.commit()
        session.committed()
        pool.expire()
        checkpoint = session.checkpoint
        writtenAhead.store(session.connection.writeAheadPageCount, ordering: .relaxed)
    }

    package func rollback() { end(writing()) }

    private func end(_ session: WriteSession) {
        session.connection.rollback()
        isWriting = false
        lock.unlock()
    }

    /// The last record applied in the open transaction.
    package var appliedInTransaction: SequenceNumber { writing().checkpoint }

    /// The last primary key that each root entity has given away, as records of the log tell. In the open transaction.
    package var lastKeys: [EntityNumber: Int64] { writing().lastKeys }

    /// Closes the file, once whoever writes on another thread is done. The projection is of no use afterwards; readers
    /// that come too late get connections that are closed at once.
    ///
    /// A file has to be closed before another one takes its place. SQLite removes the write-ahead log by its name: it
    /// would remove that of the other file.
    package func closeFile() {
        lock.lock()
        defer { lock.unlock() }
        guard !isWriting else {
            fatalError("end the write transaction before the projection is closed")
        }
        session = nil
        fileIdentity = nil
        pool.close()
    }

    /// Takes the tables for those of the model that `record` carries, which differs from this one's in its document
    /// alone. In the open transaction, instead of `apply`.
    package func adopt(_ record: SequenceNumber, of successor: StoreSchema) throws {
        let session = writing()
        // A program that reads with the old model may have come to the record first.
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

    private func writing() -> WriteSession {
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
        let (fresh, state) = try Projection.open(
            location, layout: layout, storeID: storeID, modelSequence: modelSequence,
            head: SequenceNumber(UInt64.max), isReadOnly: isReadOnly)
        guard let connection = fresh.session?.connection, state == .behind || state == .ready else {
            throw notOpen
        }
        fresh.session = nil
        try use(connection)
    }
}
