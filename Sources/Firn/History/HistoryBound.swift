import FirnStore
import FirnLog
import FirnModel
import Foundation

/// Where a history request begins, or where a deletion ends.
enum HistoryBound {
    case token(NSPersistentHistoryToken?)
    case date(Date)
}

extension LoggedStore {
    /// The record after which a request's history begins.
    func position(after bound: HistoryBound) throws -> SequenceNumber {
        let baseline = engine.log.baseline
        switch bound {
        case .token(let token):
            guard let position = token?.positions[identifier] else { return baseline }
            guard position >= baseline else {
                throw CoreDataError.make(
                    .persistentHistoryTokenExpired,
                    "the history that follows the token was deleted: read the objects as they are, and go on from "
                        + "currentPersistentHistoryToken",
                    [NSAffectedStoresErrorKey: [self]])
            }
            return position
        case .date(let date): return max(baseline, try engine.log.sequence(atOrBefore: date.microseconds))
        }
    }

    /// The last record that is to be cut off so that the bound is the first that stays; nil if none is.
    func lastRecord(before bound: HistoryBound) throws -> SequenceNumber? {
        switch bound {
        case .token(let token):
            guard let position = token?.positions[identifier], position > .zero else { return nil }
            return SequenceNumber(position.rawValue - 1)
        case .date(let date):
            let before = date.microseconds
            return try engine.log.sequence(atOrBefore: before == .min ? before : before - 1)
        }
    }
}
