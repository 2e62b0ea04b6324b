package import FirnLog
import FirnProjection

extension StoreEngine {
    /// Cuts the log's records up to `last` off, and the versions of rows from before. Returns the last record that
    /// was cut off, which is an earlier one if a subscription has not come so far, unless it is to be ignored. A staged
    /// migration stays until its handler has come to its end.
    package func trim(through last: SequenceNumber, ignoringSubscriptions: Bool) throws -> SequenceNumber {
        try refresh()
        var last = min(last, log.head)
        if !ignoringSubscriptions, let seen = try log.seenByAllSubscriptions() { last = min(last, seen) }
        if modelSequence <= last, try StagedMark.isPending(in: log, after: modelSequence) {
            last = SequenceNumber(modelSequence.rawValue - 1)
        }
        guard last > log.baseline else { return log.baseline }
        try trimShared(through: last)
        try maintenance.trim(through: last) { try state(after: last, $0) }
        past.discardTrimmed()
        history?.schedule()
        // What this leaves over goes with the next trim. A state that was cut off has its large values as long as it is
        // read.
        if !past.hasTrimmedReaders { try? collectExternalValues() }
        return last
    }

    /// Other machines that have not come so far are given the shared log's baseline.
    private func trimShared(through last: SequenceNumber) throws {
        guard let copy else { return }
        try retrying(copy) {
            let known = log.head
            if try maintenance.pendingErasure != nil { try followErasures(in: copy) }
            try copy.upstream.perform(copy.storeID) {
                try $0.trim(through: last, knowing: known) { try state(after: last, $0) }
            }
        }
    }

    /// Removes values that nothing names any more, here and where the log is shared. Others may begin to name one there
    /// meanwhile: those are left until it ends where this machine's copy does.
    func collectExternalValues() throws {
        guard let copy else { return _ = try maintenance.collectExternalValues() }
        for _ in 1...Self.attemptsMax {
            // What is there while the server is away goes the next time.
            let there = try? copy.upstream.perform(copy.storeID) { shared in
                // What a copy does not begin with may be in earlier records.
                try shared.beginning().sequence < copy.baseline ? [] : shared.externalReferences()
            }
            let (_, gone, end) = try maintenance.collectExternalValues(and: there ?? [])
            if gone.isEmpty { return }
            if try copy.upstream.perform(copy.storeID, { try $0.remove(gone, endingAt: end) }) { return }
            try copy.pullUpstream()
        }
    }

    private func state(after last: SequenceNumber, _ write: (BaselinePart) throws -> Void) throws {
        let isNewest = try read { reader in
            guard try reader.checkpoint == last else { return false }
            try reader.baseline(model: modelSequence, write)
            return true
        }
        if !isNewest { try writeState(after: last, write) }
    }

    /// In the terms that were in force then.
    private func writeState(
        after last: SequenceNumber, _ write: (BaselinePart) throws -> Void
    ) throws {
        let epoch = try PastStates.epoch(at: last, before: modelSequence, in: log)
        let schema = try epoch.model == modelSequence ? schema : oldSchema(at: epoch.model)
        try projection.withState(after: last, of: log, schema, epoch.model) {
            try $0.baseline(model: epoch.start, write)
        }
    }
}
