package import FirnLog
import FirnModel
import FirnProjection
import Foundation

extension StoreEngine {
    /// Makes and writes one change set. Returns whether there was one.
    ///
    /// `body` runs under the writer lock and may read through the session; `committed` runs under it too, and says what
    /// the row cache is to take once the log has the change set; `acknowledged` runs without it, once the change set is
    /// as durable as the store promises. An error before the append leaves log and tables as they were; a failed sync
    /// leaves it open whether the change set survives, and nothing more can be saved before the store is opened again.
    ///
    /// With a shared log, all of it but `acknowledged` is done again if another machine was faster.
    ///
    /// The rows of a large change set are written after this returns, unless the caller `waitsForRows`.
    package func write(
        _ header: TransactionHeader, waitsForRows: Bool = false, _ body: (WriteSession) throws -> ChangeSet?,
        committed: (SequenceNumber, ChangeSet) -> WrittenRows, acknowledged: () -> Void
    ) throws -> Bool {
        let deadline = log.options.lockTimeout.map { MonotonicClock.seconds() + Double($0) / 1_000_000 }
        var tries = StalledTries()
        while true {
            do {
                guard try write(header, waitsForRows, body, committed) else { return false }
                break
            } catch let error as LogError where error.code == .overtaken {
                if let deadline, MonotonicClock.seconds() >= deadline { throw error }
                try tries.failed(at: log.mark.link, place: log.upstream?.place ?? log.place)
            }
        }
        acknowledged()
        improveDictionary()
        return true
    }

    /// What is appended, and what is still to be done for it without the lock.
    private enum Appended {
        case here(SequenceNumber)
        case queued(QueuedAppend)
    }

    private func write(
        _ header: TransactionHeader, _ waitsForRows: Bool, _ body: (WriteSession) throws -> ChangeSet?,
        _ committed: (SequenceNumber, ChangeSet) -> WrittenRows
    ) throws -> Bool {
        var foreign: [LogRecord] = []
        defer {
            followErasures(foreign)
            notifyObservers(foreign)
        }
        let appended: Appended? = try log.withWriterLock(isQueueing: true) { writer in
            // Again after another machine was faster, with what it wrote.
            foreign += try catchUp()
            let session = WriteSession(engine: self, writer: writer, foreign: foreign)
            defer { session.end() }
            guard let made = try body(session) else { return nil }
            if queues(made, session) { return .queued(try enqueue(made, header, writer, session, committed)) }
            let sequence = try append(made, header, writer, session, waitsForRows)
            keyAllocator.apply(made, at: sequence)
            session.commitKeys()
            observe(sequence)
            rowCache.apply(committed(sequence, made))
            return .here(sequence)
        }
        switch appended {
        case nil: return false
        case .queued(let append): try log.wait(for: append)
        case .here(let sequence):
            defer { projector.endAppend(sequence) }
            do {
                // At once, unless others waited.
                try log.acknowledge(through: sequence)
            } catch {
                rowCache.removeAll()
                throw error
            }
        }
        return true
    }

    private func append(
        _ made: ChangeSet, _ header: TransactionHeader, _ writer: LogWriter, _ session: WriteSession,
        _ waitsForRows: Bool
    ) throws -> SequenceNumber {
        let size = made.heldSize
        if isDeferred(size, session) {
            let sequence = try writer.append(.changes(made), header: header)
            projector.enqueue(made, size: size, at: log.mark)
            return sequence
        }
        if projector.isDeferring, !waitsForRows, log.upstream == nil, size >= Self.sizeDeferredMax {
            // What was read in the tables' transaction stays true while the writer's lock is held.
            session.closeTables()
            return try projector.applyWhileAppending(made, size: size, as: session.sequence) {
                let sequence = try writer.append(.changes(made), header: header)
                if !log.isWriterAwaited { try log.acknowledge(through: sequence) }
                return sequence
            }
        }
        try session.openTables()
        let next = session.sequence
        return try session.commit {
            let sequence = try writer.append(.changes(made), header: header) {
                try projection.apply(made, at: next)
            }
            if !log.isWriterAwaited { try log.acknowledge(through: sequence) }
            return sequence
        }
    }

    /// From this size on, in bytes, the rows of a change set are written while its record is encoded.
    private static let sizeDeferredMax = 1 << 18

    /// Whether the tables may get a change set of this size later.
    private func isDeferred(_ size: Int, _ session: WriteSession) -> Bool {
        projector.isDeferring && !session.hasTables && size < Self.sizeDeferredMax
    }

    /// Whether the change set may go to a shared log together with others.
    private func queues(_ made: ChangeSet, _ session: WriteSession) -> Bool {
        log.upstream != nil && isDeferred(made.heldSize, session) && !made.namesExternalValues
    }

    private func enqueue(
        _ made: ChangeSet, _ header: TransactionHeader, _ writer: LogWriter, _ session: WriteSession,
        _ committed: (SequenceNumber, ChangeSet) -> WrittenRows
    ) throws -> QueuedAppend {
        let rows = committed(session.sequence, made)
        let append = try writer.enqueue(.changes(made), header: header) { [self] mark in
            queued.removeOne()
            guard let mark else {
                // They were counted on from keys that nobody has.
                keyAllocator.invalidate()
                return
            }
            projector.enqueue(made, size: made.heldSize, at: mark)
            observe(mark.head)
            rowCache.apply(rows)
        }
        queued.add(made)
        keyAllocator.apply(made, at: session.sequence)
        session.commitKeys()
        return append
    }

    /// Trains a dictionary in the background. A failure changes nothing, or shows at the next save.
    package func improveDictionary() {
        guard log.beginDictionaryTrial() else { return }
        Thread.detachNewThread { [log] in
            // No save should wait for the training; of Linux's threads each has a priority.
            // https://man7.org/linux/man-pages/man2/setpriority.2.html
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
            guard let trained = try? log.trainDictionary() else { return }
            // This takes the writers' lock: not with that priority.
            DispatchQueue.global(qos: .utility).async { _ = try? log.adopt(trained) }
        }
    }
}

/// Which rows are others once the change sets are appended that wait for a shared log's answer.
struct QueuedRows {
    private var count = 0
    private var keys: Set<ObjectKey> = []

    func contains(_ key: ObjectKey) -> Bool { count > 0 && keys.contains(key) }

    mutating func add(_ changes: ChangeSet) {
        count += 1
        // A new row is in no cache yet: a reader asks the tables.
        for group in changes.groups where group.operation != .insert {
            for key in group.primaryKeys { keys.insert(ObjectKey(entity: group.entity, primaryKey: key)) }
        }
    }

    /// One of them was appended, or will not be.
    mutating func removeOne() {
        count -= 1
        if count == 0 { keys.removeAll() }
    }
}
