import FirnLog
import FirnProjection

extension StoreEngine {
    /// Takes values out of everything but the present, from which a save must have taken them before: out of the
    /// log's records and baseline, the free pages and the write-ahead log of the tables, the versions of rows, the row
    /// cache. Returns how many records had them.
    ///
    /// After a crash, opening the store goes on with it.
    func erase(_ object: ObjectKey, slots: [UInt16], _ header: TransactionHeader) throws -> Int {
        try refresh()
        let count = try log.erase(
            Erasure(model: modelSequence, object: object, slots: slots), header: header)
        try forgetTables()
        return count
    }

    /// Ends an erasure that was interrupted.
    func endErasure(_ header: TransactionHeader) throws {
        guard let erasure = try log.pendingErasure else { return }
        try log.erase(erasure, header: header)
        try forgetTables()
    }

    /// Tables that are built anew never had what the log has no more.
    private func forgetTables() throws {
        try log.withWriterLock { writer in
            try projection.rebuild(mark: log.mark) { apply in
                let replay = try log.replay()
                while let record = try replay.next() { try apply(record) }
            }
            observe(writer.head)
        }
        forgetAll()
        try log.collectExternalValues()
        try log.finishErasure()
    }

    /// Throws away what was made from records that are others now.
    func forgetAll() {
        rowCache.removeAll()
        forgetPast()
    }
}
