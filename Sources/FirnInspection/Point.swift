package import FirnLog
import Foundation

/// A point in a store's history, as a person names it: a record's number, a date, or `head`.
package enum Point: Sendable {
    case sequence(UInt64)
    /// Microseconds since 1970.
    case date(Int64)
    case head

    package init?(_ text: String) {
        if text == "head" {
            self = .head
        } else if let number = UInt64(text) {
            self = .sequence(number)
        } else if let date = LogDate(parsing: text) {
            self = .date(date.microseconds)
        } else {
            return nil
        }
    }

    /// The record after which the store was as at the point. Throws for one that is not there (yet, or any more).
    package func sequence(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        let head = try log.refresh()
        let found =
            switch self {
            case .head: head
            case .sequence(let number): SequenceNumber(number)
            case .date(let date):
                if let begin = try log.baselineDate, date < begin {
                    SequenceNumber.zero
                } else {
                    try log.sequence(atOrBefore: date)
                }
            }
        guard found <= head else {
            try log.checkEnd()
            throw Failure(
                "\(path): there is no record \(found): the log ends with record \(head); name it or an earlier one")
        }
        guard found >= log.baseline else {
            throw Failure(
                "\(path): the records up to \(log.baseline) were trimmed; name record \(log.baseline) or a later one")
        }
        return found
    }

    /// The record after which reading begins; 0 stands for the beginning of what is there.
    package func position(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        if case .sequence(0) = self {
            try log.refresh()
            return log.beforeFirst
        }
        return try sequence(in: log, of: path)
    }

    /// The record at the point: of a date the last one that is not later.
    package func record(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        let found = try sequence(in: log, of: path)
        guard found >= log.first else {
            throw Failure(
                "\(path): there is no record \(found): the log has records \(log.first) to \(log.head); "
                    + "name one of them")
        }
        return found
    }

    /// The record at the point: of a date the first one that is not earlier; the head's next if there is none.
    package func first(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        if case .date(let date) = self {
            try log.refresh()
            return max(try log.sequence(atOrBefore: date - 1).next, log.first)
        }
        return try record(in: log, of: path)
    }
}
