import FirnLog
import FirnModel
import FirnProjection
import Foundation

extension StoreEngine {
    /// The outcome of an append, and the work that is left for it without the lock.
    enum Appended {
        case nothing
        /// The transaction's basis holds no longer.
        case refused
        /// Another machine, with which the log is shared, was faster.
        case overtaken
        case here(SequenceNumber)
        case queued(QueuedAppend, SequenceNumber)
    }

    /// Appends a transaction while nobody else may write, if it still stands. Adds records of other writers to
    /// `remote`.
    ///
    /// An error before the append leaves log and tables as they were. A failed sync leaves it open whether the change
    /// set survives, and nothing more can be saved before the store is opened again.
    func append(_ prepared: inout PreparedTransaction, _ remote: inout [LogRecord]) throws -> Appended {
        var seen: [LogRecord] = []
        defer {
            remote += seen
            didSee(seen)
        }
        let appended = try withWriter { writer in
            try unlessOvertaken {
                seen = try catchUp()
                let session = WriteSession(engine: self, writer: writer)
                defer { session.closeTables() }
                guard try session.validate(&prepared) else { return .refused }
                if let metadata = prepared.transaction.metadata { try log.store(attachment: metadata) }
                return prepared.changes.isEmpty ? .nothing : try append(prepared, writer, session)
            }
        }
        let finished = try unlessOvertaken { try finish(appended) }
        if let metadata = prepared.transaction.metadata { try? projection.store(metadata: metadata) }
        return finished
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
        _ prepared: PreparedTransaction, _ writer: LogWriter, _ session: WriteSession
    ) throws -> Appended {
        if queues(prepared.changes, session) {
            return .queued(try enqueue(prepared, writer, session), session.sequence)
        }
        let transaction = prepared.transaction
        let sequence = try append(
            prepared.changes, transaction.header, writer, session, transaction.waitsForRows)
        keyAllocator.apply(prepared.changes)
        rowCache.apply(prepared.rows(sequence))
        observe(sequence, prepared.changes)
        return .here(sequence)
    }

    /// Waits until what was appended is as durable as the store promises.
    private func finish(_ appended: Appended) throws -> Appended {
        switch appended {
        case .nothing, .refused, .overtaken: return appended
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
        log.upstream != nil && preferred == nil && isDeferred(made.heldSize, session) && !made.namesExternalValues
    }

    private func enqueue(
        _ prepared: PreparedTransaction, _ writer: LogWriter, _ session: WriteSession
    ) throws -> QueuedAppend {
        let changes = prepared.changes
        let rows = prepared.rows(session.sequence)
        let append = try writer.enqueue(.changes(changes), header: prepared.transaction.header) { [self] mark in
            queued.removeOne()
            guard let mark else { return }
            projector.enqueue(changes, size: changes.heldSize, at: mark)
            rowCache.apply(rows)
            observe(mark.head, changes)
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
