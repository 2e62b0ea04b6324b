import FirnStore
import FirnLog
import FirnModel
import Foundation

extension NSPersistentStoreCoordinator {
    /// Deletes the history before a bound, of that the longest run from the beginning of which the request's
    /// `fetchRequest` matches every transaction: what it does not match stays, and so does all that came after it.
    ///
    /// Returns how many transactions were deleted if the request asks for a count, else true.
    func deleteHistory(
        before bound: HistoryBound, _ stores: [LoggedStore], _ request: NSPersistentHistoryChangeRequest
    ) throws -> NSNumber {
        var ends: [(store: LoggedStore, last: SequenceNumber)] = []
        for store in stores {
            guard let last = try store.lastRecord(before: bound) else { continue }
            ends.append((store, last))
        }
        if let fetch = request.fetchRequest { ends = try matchingRuns(of: ends, fetch) }
        var count = 0
        for (store, last) in ends {
            let candidates = request.resultType == .count ? try store.transactionNumbers(through: last) : []
            do {
                let trimmed = try store.engine.trim(through: last, ignoringSubscriptions: false)
                count += candidates.count { $0 <= trimmed }
            } catch {
                throw StoreError.saving(error, path: store.placeName)
            }
        }
        return request.resultType == .count ? NSNumber(value: count) : NSNumber(value: true)
    }

    /// For each store the last transaction of the matching ones that its history begins with; none without one.
    private func matchingRuns(
        of ends: [(store: LoggedStore, last: SequenceNumber)], _ fetch: NSFetchRequest<any NSFetchRequestResult>
    ) throws -> [(store: LoggedStore, last: SequenceNumber)] {
        let matching = try HistoryMatching(fetch)
        let candidates = try ends.map { store, last in
            try store.transactions(after: store.engine.log.baseline, through: last, includesChanges: true)
        }
        let selected = try matching.transactions(candidates.flatMap { $0 })
        return zip(ends, candidates).compactMap { end, transactions in
            let run = transactions.prefix { selected.contains(ObjectIdentifier($0)) }
            return run.last.map { (end.store, $0.sequence) }
        }
    }
}

extension LoggedStore {
    /// The transactions after a record, up to `last`, which is included.
    func transactions(
        after position: SequenceNumber, through last: SequenceNumber? = nil, includesChanges: Bool
    ) throws -> [NSPersistentHistoryTransaction] {
        var transactions: [NSPersistentHistoryTransaction] = []
        let reader = try engine.log.records(after: position)
        while let record = try reader.next(), record.sequence <= last ?? record.sequence {
            guard case .changes = record.body else { continue }
            transactions.append(
                NSPersistentHistoryTransaction(record, store: self, includesChanges: includesChanges))
        }
        return transactions
    }

    fileprivate func transactionNumbers(through last: SequenceNumber) throws -> [SequenceNumber] {
        var numbers: [SequenceNumber] = []
        let reader = try engine.log.records(after: engine.log.baseline)
        while let frame = try reader.nextFrameInfo(), frame.sequence <= last {
            if frame.kind == .changes { numbers.append(frame.sequence) }
        }
        return numbers
    }
}

extension NSPersistentHistoryTransaction {
    fileprivate var sequence: SequenceNumber { record.sequence }
}
