import FirnLog
import FirnProjection

/// How a store hears of other writers without their lock.
///
///     log ──► tables, in their own transaction ──► keys, row cache ──► subscribers
extension StoreEngine {
    /// Applies what others wrote, and evicts cached rows that they changed, up to the record that the tables have.
    /// Returns the records that this engine had not seen. Tables that have to be rebuilt are left to `catchUp`.
    func follow() throws -> [LogRecord] {
        try refuseMigrated()
        return try retryingAfterTrim { try followTables() }
    }

    /// Runs `body`; once more if it finds out that another program cut records off, which the log knows then.
    func retryingAfterTrim<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as LogError where error.code == .missing { return try body() }
    }

    private func followTables() throws -> [LogRecord] {
        do {
            try projector.catchUp()
        } catch let error as ProjectionError where error.code == .gap {
            return []
        }
        return try log.withoutLocalWriters { try followRecords(through: projection.checkpoint) }
    }

    /// The tables have every record up to `last`: what is read from now on is as new as what is evicted.
    func followRecords(through last: SequenceNumber) throws -> [LogRecord] {
        let (seen, first) = (observedSequence, log.baseline)
        guard seen < last, first <= last else { return [] }
        // Of what was cut off, rows and followers can be told only that it is gone.
        if seen < first { reportHistoryGap() }
        var remote: [LogRecord] = []
        let reader = try log.records(after: max(seen, first))
        while reader.position < last, let record = try reader.next() {
            accept(record)
            remote.append(record)
        }
        if !remote.isEmpty {
            expectRemoteWrites()
            feed.notify(.records(remote))
        }
        // Last: who finds everything seen may rely on that it was told.
        observe(reader.position)
        return remote
    }
}
