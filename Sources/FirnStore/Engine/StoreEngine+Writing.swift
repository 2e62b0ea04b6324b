package import FirnLog
import FirnModel
import FirnProjection
import Foundation

extension StoreEngine {
    /// Writes what `make` makes while nobody else may write; it reads through the session. Returns the record's number;
    /// nil if there was nothing to write.
    ///
    /// `make` is called again if another machine was faster, so it changes nothing but what it returns. The rows of a
    /// large change set are written after this returns, unless the caller `waitsForRows`.
    package func write(
        waitsForRows: Bool = false, _ make: (WriteSession) throws -> Transaction?
    ) throws -> SequenceNumber? {
        var tries = CommitTries(self)
        var remote: [LogRecord] = []
        while true {
            switch try commit(remote: remote, waitsForRows: waitsForRows, making: make) {
            case .committed(let sequence): return sequence
            case .empty: return nil
            case .conflict(let records):
                remote += records
                try tries.failed()
            }
        }
    }

    /// Writes what `make` makes while nobody else may write; it reads through the session. The only conflict is then
    /// that another machine, with which the log is shared, was faster.
    ///
    /// An error before the append leaves log and tables as they were. A failed sync leaves it open whether the change
    /// set survives, and nothing more can be saved before the store is opened again.
    package func commit(
        remote known: [LogRecord], waitsForRows: Bool = false, making make: (WriteSession) throws -> Transaction?
    ) throws -> CommitResult {
        var remote: [LogRecord] = []
        defer {
            followErasures(remote)
            notifyObservers(remote)
        }
        let appended = try log.withWriterLock(isQueueing: true) { writer in
            try unlessOvertaken {
                remote = try catchUp()
                let session = WriteSession(engine: self, writer: writer, remote: known + remote)
                defer { session.closeTables() }
                return try make(session).map { try append($0, writer, session, waitsForRows) } ?? .nothing
            }
        }
        return try unlessOvertaken { try finish(appended) }.result(remote)
    }

    /// What was appended, and what is still to be done for it without the lock.
    private enum Appended {
        case nothing
        case overtaken
        case here(SequenceNumber)
        case queued(QueuedAppend, SequenceNumber)

        func result(_ remote: [LogRecord]) -> CommitResult {
            switch self {
            case .nothing: .empty
            case .overtaken: .conflict(records: remote)
            case .here(let sequence), .queued(_, let sequence): .committed(sequence)
            }
        }
    }

    /// The log itself would run `body` again.
    private func unlessOvertaken(_ body: () throws -> Appended) throws -> Appended {
        do {
            return try body()
        } catch let error as LogError where error.code == .overtaken {
            return .overtaken
        }
    }

    private func append(
        _ made: Transaction, _ writer: LogWriter, _ session: WriteSession, _ waitsForRows: Bool
    ) throws -> Appended {
        if queues(made.changes, session) { return .queued(try enqueue(made, writer, session), session.sequence) }
        let sequence = try append(made.changes, made.header, writer, session, waitsForRows)
        keyAllocator.apply(made.changes)
        rowCache.apply(made.rows(sequence, made.changes))
        observe(sequence)
        return .here(sequence)
    }

    /// Waits until what was appended is as durable as the store promises.
    private func finish(_ appended: Appended) throws -> Appended {
        switch appended {
        case .nothing, .overtaken: return appended
        case .queued(let append, _): try log.wait(for: append)
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
        trainDictionaryIfDue()
        return appended
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
        _ made: Transaction, _ writer: LogWriter, _ session: WriteSession
    ) throws -> QueuedAppend {
        let changes = made.changes
        let rows = made.rows(session.sequence, changes)
        let append = try writer.enqueue(.changes(changes), header: made.header) { [self] mark in
            queued.removeOne()
            guard let mark else { return }
            projector.enqueue(changes, size: changes.heldSize, at: mark)
            rowCache.apply(rows)
            observe(mark.head)
        }
        queued.add(changes)
        keyAllocator.apply(changes)
        return append
    }

    /// Trains a dictionary in the background. A failure changes nothing, or shows at the next save.
    package func trainDictionaryIfDue() {
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
