package import FirnLog

/// When followers are woken: at once, and then once in so many microseconds, of all that was appended meanwhile.
///
///     appended     1   2 3 4 5 6                 7
///     woken        1 ─────── 5 ─────── 6         7
///                    interval
///
/// What is not told at once is told by whoever appends when the interval is over, or by a timer.
package struct WakeUpPace {
    package enum Action: Hashable {
        case nothing
        /// Tell them that the log has this record.
        case wake(SequenceNumber)
        /// Call `timeIsUp` after so many microseconds.
        case wait(Int64)
    }

    private let interval: Int64
    /// The last record that nobody was told of.
    private var due: SequenceNumber?
    /// When followers were told last, in microseconds of any clock.
    private var last: Int64?
    private var isTimed = false

    package init(interval: Int64) { self.interval = interval }

    package mutating func appended(_ sequence: SequenceNumber, now: Int64) -> Action {
        due = max(due ?? sequence, sequence)
        let remaining = last.map { $0 + interval - now } ?? 0
        if remaining <= 0 { return wake(now) }
        if isTimed { return .nothing }
        isTimed = true
        return .wait(remaining)
    }

    /// - Parameter isFree: whether there is a connection to tell them over.
    package mutating func timeIsUp(isFree: Bool, now: Int64) -> Action {
        isTimed = false
        if due == nil { return .nothing }
        if isFree { return wake(now) }
        isTimed = true
        return .wait(interval)
    }

    /// What they are still to be told; nil if nothing.
    package mutating func end() -> SequenceNumber? {
        defer { due = nil }
        return due
    }

    private mutating func wake(_ now: Int64) -> Action {
        last = now
        return end().map { .wake($0) } ?? .nothing
    }
}
