package import FirnLog
import Foundation

/// A point in a store's history, as a person names it: a record's number, a moment, or `head`.
package enum Point: Sendable {
    case sequence(UInt64)
    case moment(Moment)
    case head

    /// The forms of a point, for messages.
    package static let examples = "a record's number, head, or a time: " + Moment.examples

    package init?(_ text: String, on clock: WallClock = .system) {
        if text == "head" {
            self = .head
        } else if let number = UInt64(text) {
            self = .sequence(number)
        } else if let moment = Moment(text, on: clock) {
            self = .moment(moment)
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
            case .moment(let moment):
                if let begin = try log.baselineDate, moment.end.microseconds < begin {
                    SequenceNumber.zero
                } else {
                    try log.sequence(atOrBefore: moment.end.microseconds)
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

    /// The explanation of how a time was understood, and where that is in the log: `yesterday is 2026-11-25 00:00:00
    /// +01:00, after record 7`. Nil if there is nothing to say: a number, `head`, or a date in a zone that it names.
    package func explanation(in log: SegmentLog, on clock: WallClock = .system) throws -> String? {
        guard case .moment(let moment) = self else { return nil }
        try log.refresh()
        let found = try log.sequence(atOrBefore: moment.end.microseconds)
        if found == .zero { return try "\(moment.reading), \(Self.beforeFirst(log, clock))" }
        return moment.isUniversal ? nil : "\(moment.reading), after record \(found)"
    }

    private static func beforeFirst(_ log: SegmentLog, _ clock: WallClock) throws -> String {
        guard let first = try log.extent().firstDate else { return "and there are no records" }
        return "before the first record, which is of \(clock.text(LogDate(first)))"
    }

    /// The record after which the store was as at the point. Throws also for a point before the first record, when
    /// there was no store.
    package func state(in log: SegmentLog, of path: String, on clock: WallClock = .system) throws -> SequenceNumber {
        let found = try sequence(in: log, of: path)
        if found > .zero { return found }
        if case .moment(let moment) = self {
            throw Failure("\(path): \(moment.reading), \(try Self.beforeFirst(log, clock))")
        }
        if log.head < log.first { throw Failure("\(path): there are no records yet") }
        throw Failure("\(path): record 0 is before the first record, so there was no store yet; name a later record")
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
            if found == .zero, log.first == 1 { return try state(in: log, of: path) }
            throw Failure(
                "\(path): there is no record \(found): the log has records \(log.first) to \(log.head); "
                    + "name one of them")
        }
        return found
    }

    /// The record at the point: of a date the first one that is not earlier; the head's next if there is none.
    package func first(in log: SegmentLog, of path: String) throws -> SequenceNumber {
        if case .moment(let moment) = self {
            try log.refresh()
            return max(try log.sequence(atOrBefore: moment.date.microseconds - 1).next, log.first)
        }
        return try record(in: log, of: path)
    }
}
