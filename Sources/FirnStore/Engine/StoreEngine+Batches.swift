import FirnLog
import FirnProjection
import Synchronization

/// The committing of transactions, those of several threads together.
///
/// A thread that finds no commit running writes its own transaction. Threads that come meanwhile leave theirs to a
/// thread of the store, which writes batches until none waits: each batch has one lock, one write and one sync, and
/// each saver sleeps once.
///
///     saver 1      prepare  lock, check, write, unlock, sync ──►
///     saver 2         prepare  wait ───────────────────────────────────────►  prepare …
///     saver 3              prepare  wait ──────────────────────────────────►  prepare …
///     store's thread                             lock, check, write 2 and 3, unlock, sync ──►  …
extension StoreEngine {
    /// The most transactions of one batch: more would delay the first of them.
    private static let batchCountMax = 64

    /// How many transactions wait for the one that is being committed.
    package var waitingCommitCount: Int { pending.withLock { $0.waiting.count } }

    /// Returns when the transaction has its result.
    func submit(_ prepared: PreparedTransaction) throws -> CommitResult {
        while true {
            if log.isWriting {
                // The caller has the lock: it is in `exclusively`.
                write([prepared])
            } else if leads(prepared) {
                write([prepared])
                passOn()
            } else {
                prepared.wait()
            }
            // Without a result the store was closed meanwhile: the thread commits by itself.
            if let result = prepared.result { return try result.get() }
        }
    }

    /// Whether the caller has to write the transaction itself; otherwise it waits.
    private func leads(_ prepared: PreparedTransaction) -> Bool {
        pending.withLock { pending in
            if pending.isCommitting {
                prepared.expectWait()
                pending.waiting.append(prepared)
                return false
            }
            pending.isCommitting = true
            return true
        }
    }

    /// Hands what came meanwhile to the thread for commits.
    private func passOn() {
        let isLeft = pending.withLock { pending in
            pending.isCommitting = !pending.waiting.isEmpty
            guard pending.isCommitting else { return false }
            let thread = pending.thread ?? LogThread { [weak self] in self?.writeWaiting() }
            pending.thread = thread
            return !thread.request(by: 0)
        }
        // The system has no thread left.
        if isLeft { writeWaiting() }
    }

    /// Writes batches until no transaction waits.
    private func writeWaiting() {
        while true {
            let batch = pending.withLock { pending in
                let batch = Array(pending.waiting.prefix(Self.batchCountMax))
                pending.waiting.removeFirst(batch.count)
                pending.isCommitting = !batch.isEmpty
                return batch
            }
            if batch.isEmpty { return }
            write(batch)
            let left = batch.filter { $0.result == nil }
            if !left.isEmpty { pending.withLock { $0.waiting.insert(contentsOf: left, at: 0) } }
            for prepared in batch where prepared.result != nil { prepared.wake() }
        }
    }

    /// Ends the thread. What waits is written by the threads that wait.
    func closeCommits() {
        let (thread, waiting) = pending.withLock { pending in
            defer { (pending.thread, pending.waiting) = (nil, []) }
            if pending.thread != nil { pending.isCommitting = false }
            return (pending.thread, pending.waiting)
        }
        thread?.stop()
        for prepared in waiting { prepared.wake() }
    }

    /// Writes those of a batch that can be written together, at least the first; the others stay without a result. The
    /// caller may hold the writer's lock: then the first one fails with `overtaken` if another machine was faster.
    private func write(_ batch: [PreparedTransaction]) {
        var remote: [LogRecord] = []
        var last: SequenceNumber?
        // Those that are to be appended, once that is known.
        var standing = batch
        do {
            last =
                log.isWriting
                ? try append(batch, &standing, &remote)
                : try log.exclusively { try append(batch, &standing, &remote) }
            try acknowledge(last)
        } catch {
            // The cached rows may not be in the log.
            rowCache.removeAll()
            for prepared in standing where prepared.isWritten ?? true { prepared.result = .failure(error) }
        }
        followErasures(remote)
        if last != nil { packIfDue() }
    }

    /// Waits until what was written is as durable as the store promises.
    private func acknowledge(_ last: SequenceNumber?) throws {
        guard let last else { return }
        defer { projector.endAppend(last) }
        try log.acknowledge(through: last)
    }

    /// Appends those that stand and publishes them, with the writer's lock held. Returns the last record; nil if there
    /// is none. It is called again when another machine was faster.
    private func append(
        _ batch: [PreparedTransaction], _ standing: inout [PreparedTransaction], _ remote: inout [LogRecord]
    ) throws -> SequenceNumber? {
        standing = batch
        remote += try catchUp()
        var check = TransactionCheck(self, remote)
        standing = try batch.filter { try $0.result == nil && check.admit($0) }
        guard let first = standing.first else { return nil }
        let records = standing.map { $0.record ?? PreparedRecord(.changes($0.changes), $0.transaction.header) }
        let isLarge = isLarge(first)
        // A transaction with metadata is alone. They are as they were before if it is not appended.
        let metadata = first.transaction.metadata
        let old = metadata == nil ? nil : try log.attachment()
        if let metadata { try log.store(attachment: metadata) }
        let outcomes: [Result<LogMark, LogError>]
        do {
            outcomes =
                isLarge
                ? try projector.applyWhileAppending(first.changes, size: first.size) {
                    let outcomes = try log.append(records)
                    // Its rows are shown to nobody before it is durable.
                    if let mark = try? outcomes[0].get() { try log.acknowledge(through: mark.head) }
                    return outcomes
                }
                : try log.append(records)
        } catch {
            // A server may have appended it all the same.
            if metadata != nil, copy == nil { try? log.store(attachment: old ?? []) }
            throw error
        }
        var last: SequenceNumber?
        for (prepared, outcome) in zip(standing, outcomes) {
            switch outcome {
            case .success(let mark):
                try publish(prepared, at: mark, areRowsWritten: isLarge)
                prepared.result = .success(.committed(mark.head))
                last = mark.head
            case .failure(let error): prepared.result = .failure(error)
            }
        }
        return last
    }
}

/// The transactions of a store that wait to be committed.
struct PendingCommits {
    /// Whether a thread commits, or was asked to.
    var isCommitting = false
    /// In the order in which they came.
    var waiting: [PreparedTransaction] = []
    var thread: LogThread?
}
