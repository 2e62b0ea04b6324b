/// A moment as a person names it: `yesterday`, `monday 10:30`, `-2h`, `last week`, `10:30`, `2026-11-20 10:30`.
///
/// A day, a week, a month and a year stand for their first moment; weeks begin on Monday. A weekday, or a time without
/// a day, is the last one that is not to come.
package struct Moment: Sendable {
    package let date: LogDate
    /// The last moment that the text stands for. Times are printed in whole seconds, so one of them is all its second.
    package let end: LogDate
    /// The understood moment as text: `yesterday is 2026-11-25 00:00:00 +01:00`.
    package let reading: String
    /// Whether the text is a date in a time zone that it names.
    package let isUniversal: Bool

    package static let examples = "yesterday, 'monday 10:30', -2h, 'last week', 10:30, 2026-11-20 or '2026-11-20 10:30'"

    private static let textMax = 64

    package init?(_ text: String, on clock: WallClock = .system) {
        guard text.utf8.count <= Self.textMax else { return nil }
        let words = text.lowercased().split(separator: " ").joined(separator: " ")
        guard let date = LogDate(parsing: words, on: clock) ?? MomentWords(clock).date(words) else { return nil }
        self.date = date
        end = words.contains(#/\d:\d{1,2}:\d{1,2}(?![.\d])/#) ? LogDate(date.microseconds + 999_999) : date
        reading = "\(words) is \(clock.text(date))"
        isUniversal = LogDate.zone(endingIn: words[...]) != nil
    }
}

/// The words for moments, by a clock.
private struct MomentWords {
    private let clock: WallClock
    private let present: WallTime

    init(_ clock: WallClock) {
        self.clock = clock
        present = clock.reading(of: clock.now)
    }

    func date(_ text: String) -> LogDate? {
        if text.first == "-" { return span(text.dropFirst()) }
        // Hyphens save the quotation marks that spaces need in a shell: last-week.
        let separators = text.first?.isLetter == true ? " ,-" : " ,"
        var words = text.split { separators.contains($0) }.filter { $0 != "at" }
        if words == ["now"] { return clock.now }
        let time = words.last.flatMap(secondOfDay)
        if time != nil { words.removeLast() }
        if words.last == "ago" {
            guard let date = span(words.dropLast().joined()[...]) else { return nil }
            guard let time else { return date }
            var day = clock.reading(of: date)
            day.secondOfDay = time
            return clock.date(of: day)
        }
        guard let (first, period) = day(words, hasTime: time != nil) else { return nil }
        var day = first
        day.secondOfDay = time ?? 0
        guard let date = clock.date(of: day), date.microseconds > clock.now.microseconds, period > 0 else {
            return clock.date(of: day)
        }
        day.day -= period
        return clock.date(of: day)
    }

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The day, and the days after which the words name another one; 0 if they do not.
    private func day(_ words: [Substring], hasTime: Bool) -> (day: WallTime, period: Int64)? {
        func before(_ days: Int64) -> WallTime {
            var day = present
            day.day -= days
            return day
        }
        let (year, month, _) = present.date
        switch words {
        case []: return hasTime ? (present, 1) : nil
        case ["today"]: return (present, 0)
        case ["yesterday"]: return (before(1), 0)
        case ["this", "week"]: return (before(present.weekday), 0)
        case ["last", "week"]: return (before(present.weekday + 7), 0)
        case ["this", "month"]: return (WallTime(beginningOfMonth: month, year), 0)
        case ["last", "month"]: return (WallTime(beginningOfMonth: month - 1, year), 0)
        case ["this", "year"]: return (WallTime(beginningOfMonth: 1, year), 0)
        case ["last", "year"]: return (WallTime(beginningOfMonth: 1, year - 1), 0)
        default: break
        }
        guard let name = words.last, words.count == 1 || words.count == 2 && words[0] == "last" else { return nil }
        if let weekday = Self.weekdays.firstIndex(where: { $0 == name || name.count >= 3 && $0.hasPrefix(name) }) {
            let days = (present.weekday - Int64(weekday) + 7) % 7
            return words.count == 2 ? (before(days == 0 ? 7 : days), 0) : (before(days), 7)
        }
        return words.count == 1 ? WallTime(day: name).map { ($0, 0) } : nil
    }

    /// `10:30`, `10:30:15`, `10am`, `10:30pm`, `noon`, `midnight`
    private func secondOfDay(_ text: Substring) -> Int64? {
        if text == "noon" { return 12 * 3600 }
        if text == "midnight" { return 0 }
        let half = ["am", "pm"].firstIndex { text.hasSuffix($0) }
        guard var parts = WallTime.numbers(half == nil ? text : text.dropLast(2), ":", half == nil ? 2...3 : 1...2)
        else { return nil }
        if let half {
            guard (1...12).contains(parts[0]) else { return nil }
            parts[0] = parts[0] % 12 + 12 * half
        }
        return WallTime.second(of: parts)
    }

    /// The moment before the present by `2h`, `1h30m`, `2 weeks`, `a month`. Days, weeks and months keep the time of
    /// day.
    private func span(_ text: Substring) -> LogDate? {
        var rest = text.filter { $0 != " " }[...]
        guard !rest.isEmpty else { return nil }
        var (months, days, seconds) = (0, Int64(0), Int64(0))
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            var unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            var number = Int64(digits)
            if digits.isEmpty, let article = ["one", "an", "a"].first(where: { unit.hasPrefix($0) }) {
                (number, unit) = (1, unit.dropFirst(article.count))
            }
            guard let count = number, count < 1_000_000_000 else { return nil }
            switch unit {
            case "s", "sec", "secs", "second", "seconds": seconds += count
            case "m", "min", "mins", "minute", "minutes": seconds += count * 60
            case "h", "hr", "hrs", "hour", "hours": seconds += count * 3600
            case "d", "day", "days": days += count
            case "w", "week", "weeks": days += count * 7
            case "mo", "month", "months": months += Int(count)
            case "y", "year", "years": months += Int(count) * 12
            default: return nil
            }
        }
        var day = present.monthsBefore(months)
        day.day -= days
        let isSameDay = months == 0 && days == 0
        guard let base = isSameDay ? clock.now : clock.date(of: day) else { return nil }
        let fraction = clock.now.microseconds - clock.now.seconds * 1_000_000
        return LogDate(seconds: base.seconds - seconds).map { LogDate($0.microseconds + fraction) }
    }
}
