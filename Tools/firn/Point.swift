import ArgumentParser
import FirnLog
import Foundation

/// A point in a store's history, as a person names it: a record's number, a date, or `head`.
enum Point: ExpressibleByArgument {
    case sequence(UInt64)
    /// Microseconds since 1970.
    case date(Int64)
    case head

    init?(argument: String) {
        if argument == "head" {
            self = .head
        } else if let number = UInt64(argument) {
            self = .sequence(number)
        } else if let date = LogDate(parsing: argument) {
            self = .date(date.microseconds)
        } else {
            return nil
        }
    }

    static let help = """
        POINT is the sequence number of a record, a date like 2026-11-21T05:21:33Z or, in the local time zone, \
        '2026-11-21 06:21' (the last record that is not later), or head, the last record.
        """

    /// The record after which the store was as at the point. Throws for one that is not there (yet, or any more).
    func sequence(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        let head = try log.refresh()
        let found =
            switch self {
            case .head: head
            case .sequence(let number): SequenceNumber(number)
            case .date(let date):
                if let begin = try log.baselineDate, date < begin { SequenceNumber.zero } else {
                    try log.sequence(atOrBefore: date)
                }
            }
        guard found <= head else {
            throw Failure("\(path): the log ends with record \(head); name record \(head) or an earlier one")
        }
        guard found >= log.baseline else {
            throw Failure(
                "\(path): the records up to \(log.baseline) were trimmed; name record \(log.baseline) or a later one")
        }
        return found
    }
}
