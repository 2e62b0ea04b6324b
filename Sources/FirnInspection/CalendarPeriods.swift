/// A time in parts by the calendar: minutes, hours, days, weeks, months or years.
package struct CalendarPeriods: Sendable {
    package enum Unit: String, Sendable, CaseIterable {
        case minute, hour, day, week, month, year
    }

    /// A part of the time, with its first and its last moment as a person writes them on the clock.
    package struct Period: Sendable {
        package let start: LogDate
        /// The beginning of the next one.
        package let end: LogDate
        /// `2026-11-21`, `2026-11`
        package let name: String
        package let from: String
        package let to: String
    }

    package let unit: Unit
    package private(set) var periods: [Period] = []

    /// The parts from that with one moment to that with another, of the shortest unit that makes at most `countMax`;
    /// years are counted by several at once if need be.
    package init(from first: LogDate, to last: LogDate, countMax: Int, on clock: WallClock = .system) {
        let (first, last) = (clock.reading(of: first), clock.reading(of: last))
        let span = max(last.seconds - first.seconds, 0)
        // A time that is no multiple of a unit begins in one part more, and ends in one.
        unit = Unit.allCases.first { span / $0.seconds + 2 <= Int64(countMax) } ?? .year
        let years = unit == .year ? Int(span / Unit.year.seconds) / max(countMax - 2, 1) + 1 : 1
        var begin = unit.beginning(of: first)
        while begin.seconds <= last.seconds, periods.count < countMax {
            let next = unit.next(after: begin, years: years)
            guard let start = clock.date(of: begin), let end = clock.date(of: next) else { return }
            // Clocks that are set forward skip an hour.
            if start.microseconds < end.microseconds {
                periods.append(Period(start: start, end: end, unit, begin, next, clock))
            }
            begin = next
        }
    }
}

extension CalendarPeriods.Period {
    fileprivate init(
        start: LogDate, end: LogDate, _ unit: CalendarPeriods.Unit, _ begin: WallTime, _ next: WallTime,
        _ clock: WallClock
    ) {
        (self.start, self.end) = (start, end)
        let final = LogDate(end.microseconds - 1)
        let (from, to) = (clock.text(start), clock.text(final))
        switch unit {
        case .minute, .hour:
            name = String(from.prefix(16))
            self.from = name
            let last = String(to.prefix(19)) + ".999999"
            // Clocks that are set back show it twice.
            let isOnce = LogDate(parsing: last, on: clock)?.microseconds == final.microseconds
            self.to = last + (isOnce ? "" : String(to.dropFirst(19)))
        case .day, .week, .month, .year:
            self.from = String(from.prefix(10))
            // A range that ends with a day has the day.
            self.to = String(to.prefix(10))
            name = String(from.prefix(unit == .month ? 7 : unit == .year ? 4 : 10))
        }
    }
}

extension CalendarPeriods.Unit {
    /// The shortest one's seconds.
    fileprivate var seconds: Int64 {
        switch self {
        case .minute: 60
        case .hour: 3600
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 28 * 86_400
        case .year: 365 * 86_400
        }
    }

    /// The beginning of the part that has a time.
    fileprivate func beginning(of time: WallTime) -> WallTime {
        var result = time
        let (year, month, _) = time.date
        switch self {
        case .minute: result.secondOfDay -= time.secondOfDay % 60
        case .hour: result.secondOfDay -= time.secondOfDay % 3600
        case .day: result.secondOfDay = 0
        case .week:
            result.secondOfDay = 0
            result.day -= time.weekday
        case .month: result = WallTime(beginningOfMonth: month, year)
        case .year: result = WallTime(beginningOfMonth: 1, year)
        }
        return result
    }

    fileprivate func next(after time: WallTime, years: Int) -> WallTime {
        let (year, month, _) = time.date
        switch self {
        case .minute, .hour: return WallTime(seconds: time.seconds + seconds)
        case .day, .week:
            var next = time
            next.day += self == .day ? 1 : 7
            return next
        case .month: return WallTime(beginningOfMonth: month + 1, year)
        case .year: return WallTime(beginningOfMonth: 1, year + years)
        }
    }
}
