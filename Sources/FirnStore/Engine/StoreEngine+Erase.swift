package import FirnLog
import FirnProjection
import FirnSQLite

extension StoreEngine {
    /// Takes values out of everything but the present, from which a save must have taken them before: out of the
    /// log's records and baseline, the free pages and the write-ahead log of the tables, the versions of rows, the row
    /// cache. Returns how many records had them.
    ///
    /// After a crash, opening the store continues it.
    package func erase(_ object: ObjectKey, slots: [UInt16], _ header: TransactionHeader) throws -> Int {
        try refresh()
        let erasure = Erasure(model: modelSequence, object: object, slots: slots)
        if let copy { return try eraseShared(copy, erasure, header) }
        let isAlone = try maintenance.pendingErasure == nil
        let count = try maintenance.erase(erasure, header: header)
        try dropValues(of: isAlone ? erasure : nil)
        return count
    }

    /// The shared log goes first; then this machine's copy follows it, as all others do.
    private func eraseShared(_ copy: SharedCopy, _ erasure: Erasure, _ header: TransactionHeader) throws -> Int {
        try retrying(copy) {
            let count = try copy.upstream.perform(copy.storeID) {
                try $0.erase(erasure, header: header, lookingIn: copy)
            }
            try copy.pullUpstream()
            try refresh()
            try followErasures(in: copy)
            return count
        }
    }

    /// Runs `body`; again with what another machine saved, if that was faster.
    func retrying<R>(_ copy: SharedCopy, _ body: () throws -> R) throws -> R {
        for _ in 1..<Self.attemptsMax {
            do { return try body() } catch let error as LogError where error.code == .overtaken {
                try copy.pullUpstream()
                try refresh()
            }
        }
        return try body()
    }

    /// How often other machines may save meanwhile.
    static let attemptsMax = 20

    /// Ends an erasure that was interrupted, or that was made on another machine.
    func endErasure(_ header: TransactionHeader) throws {
        guard let erasure = try maintenance.pendingErasure else { return }
        if let copy { return try followErasures(in: copy) }
        try maintenance.erase(erasure, header: header)
        // It may have followed another one that was interrupted.
        try dropValues()
    }

    func followErasures(in copy: SharedCopy) throws {
        let known = try copy.followErasures()
        try dropValues(knownThrough: known)
    }

    /// After records came from another machine: follows its erasures, once they are done.
    package func followErasures(_ records: [LogRecord]) {
        guard let copy else { return }
        let isDone = records.contains { record in
            guard case .erasure(let erasure) = record.body else { return false }
            return erasure.replaced.isEmpty
        }
        guard isDone else { return }
        // What fails now is done when the store is opened.
        try? followErasures(in: copy)
    }

    /// Takes what the log no longer has out of the tables: their rows do not have it, but their free pages do. Where
    /// rows may have it, the tables are built from the log.
    ///
    /// - Parameters:
    ///   - erasure: the only one since the tables were written; nil if there may be more.
    ///   - known: of a copy, the record up to which it has followed erasures.
    private func dropValues(of erasure: Erasure? = nil, knownThrough known: SequenceNumber? = nil) throws {
        try log.exclusively {
            if try !rewriteTables(without: erasure) {
                try projection.rebuild(from: log)
                projector.discard(through: log.head)
            }
            tableVersions.invalidate(log.head)
            observe(log.head)
        }
        invalidateCaches()
        try collectExternalValues()
        if let known { try maintenance.finishErasure(knownThrough: known) } else { try maintenance.finishErasure() }
        history?.schedule()
    }

    /// Brings the tables to the log's head, and writes them again. False where a row may have what was erased, or where
    /// the tables are damaged. An object whose values are all erased may be there: by a save that did not hear of its
    /// deletion.
    private func rewriteTables(without erasure: Erasure?) throws -> Bool {
        guard let erasure, erasure.model == modelSequence else { return false }
        do {
            guard try projection.storedCheckpoint() >= log.baseline else { return false }
            if projection.checkpoint < log.head { try projector.apply() }
            if erasure.slots.isEmpty, try projection.readLatest({ try !$0.rows([erasure.object]).batches.isEmpty }) {
                return false
            }
            try projection.rewrite()
            return true
        } catch let error as ProjectionError where error.code == .damaged {
            return false
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }

    /// Throws away what was made from records that are others now.
    package func invalidateCaches() {
        rowCache.removeAll()
        past.discard()
    }
}
