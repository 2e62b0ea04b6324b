public import FirnLog
import FirnModel
import FirnStore
public import Foundation

/// Where a history request begins, or where a deletion ends.
enum HistoryBound {
    case token(NSPersistentHistoryToken?)
    case date(Date)
}

extension OpenHistory {
    /// The record after which a request's history begins.
    func position(after bound: HistoryBound) throws -> SequenceNumber {
        let baseline = log.baseline
        switch bound {
        case .token(let token):
            guard let position = token?.positions[identifier] else { return baseline }
            guard position.sequence >= baseline else {
                throw expired(
                    "the history that follows the token was deleted: read the objects as they are, and go on from "
                        + "currentPersistentHistoryToken")
            }
            try check(position)
            return position.sequence
        case .date(let date): return max(baseline, try log.sequence(atOrBefore: date.microseconds))
        }
    }

    /// Throws 134301 for a position of another log of this store, as after a backup was put back.
    func check(_ position: LogPosition) throws {
        if log.agrees(with: position) { return }
        throw expired(
            "the token names record \(position), and the log, which ends with \(log.head), has no such record: it is "
                + "of another history of this store, as before a backup was put back. Read the objects as they are, "
                + "and go on from currentPersistentHistoryToken")
    }

    /// As `check(_:)`, of a token that has a link: one without may name a record to come.
    func checkLink(of token: NSPersistentHistoryToken?) throws {
        if let position = token?.positions[identifier], position.link != nil { try check(position) }
    }

    /// The last record that is to be cut off so that the bound is the first that stays; nil if none is.
    func lastRecord(before bound: HistoryBound) throws -> SequenceNumber? {
        switch bound {
        case .token(let token):
            guard let number = token?.positions[identifier]?.sequence.rawValue, number > 0 else { return nil }
            try checkLink(of: token)
            return SequenceNumber(number - 1)
        case .date(let date):
            let before = date.microseconds
            return try log.sequence(atOrBefore: before == .min ? before : before - 1)
        }
    }

    /// The record after which the store was as at `point`; nil if the point names other stores.
    func sequence(of point: HistoryPoint) throws -> SequenceNumber? {
        try refresh()
        guard let sequence = try record(at: point) else { return nil }
        guard sequence <= log.head else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the store has \(log.head) records, so there is no state after record \(sequence)",
                [NSAffectedStoresErrorKey: [store]])
        }
        guard sequence >= log.baseline else {
            throw expired(
                "the history up to record \(log.baseline) was trimmed, so the state after record \(sequence) cannot be "
                    + "told any more: ask for a later point")
        }
        return sequence
    }

    private func record(at point: HistoryPoint) throws -> SequenceNumber? {
        switch point {
        case .sequence(let sequence): return sequence
        case .date(let date):
            if let begin = try log.baselineDate, date.microseconds < begin { return .zero }
            return try log.sequence(atOrBefore: date.microseconds)
        case .token(let token):
            try checkLink(of: token)
            return token.positions[identifier]?.sequence
        }
    }

    private func expired(_ message: String) -> NSError {
        CoreDataError.make(.persistentHistoryTokenExpired, message, [NSAffectedStoresErrorKey: [store]])
    }
}

/// A point in a store's history.
public enum HistoryPoint: Hashable, Sendable {
    /// After this record.
    case sequence(SequenceNumber)
    /// After the last record that was written at or before this date.
    case date(Date)
    /// After the last transaction that a token knows of.
    case token(NSPersistentHistoryToken)
}
