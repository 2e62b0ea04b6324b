import FirnLog
import FirnProjection

extension StoreEngine {
    /// Cuts the log's records up to `last` off, and the versions of rows from before. Returns the last record that
    /// was cut off, which is an earlier one if a subscription has not come so far, unless it is to be ignored.
    func trim(through last: SequenceNumber, ignoringSubscriptions: Bool) throws -> SequenceNumber {
        try refresh()
        var last = min(last, log.head)
        if !ignoringSubscriptions, let seen = try log.seenByAllSubscriptions() { last = min(last, seen) }
        guard last > log.baseline else { return log.baseline }
        try log.trim(through: last) { write in
            let isNewest = try projection.read { reader in
                guard try reader.checkpoint == last else { return false }
                try reader.baseline(model: modelSequence, write)
                return true
            }
            if !isNewest { try writeState(after: last, write) }
        }
        forgetPast()
        // What this leaves over goes with the next trim.
        _ = try? log.collectExternalValues()
        return last
    }

    /// In the terms that were in force then.
    private func writeState(
        after last: SequenceNumber, _ write: (BaselinePart) throws -> Void
    ) throws {
        let epoch = try epoch(at: last)
        let schema = try epoch.model == modelSequence ? schema : oldSchema(at: epoch.model)
        try projection.withState(schema, epoch.model) { apply in
            let replay = try log.replay()
            while replay.position < last, let record = try replay.next() { try apply(record) }
        } _: { reader in
            try reader.baseline(model: epoch.start, write)
        }
    }
}
