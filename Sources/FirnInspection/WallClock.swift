package import Foundation

/// The present and a time zone: what a person's words for a moment depend on.
package struct WallClock: Sendable {
    package let now: LogDate
    /// The seconds by which the zone's clocks are ahead of UTC, by the seconds since 1970.
    private let offset: @Sendable (Int64) -> Int64

    package init(now: LogDate, zone: TimeZone) {
        self.now = now
        offset = { Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))) }
    }

    private init(now: LogDate, offset: @escaping @Sendable (Int64) -> Int64) {
        (self.now, self.offset) = (now, offset)
    }

    /// The system's. The C library reads forms of TZ that Foundation does not, such as `CET-1CEST`.
    package static var system: WallClock {
        WallClock(now: .now) { seconds in
            var (time, fields) = (time_t(seconds), tm())
            return localtime_r(&time, &fields) == nil ? 0 : Int64(fields.tm_gmtoff)
        }
    }

    /// The name of the system's zone, and the one that it has in summer: `UTC`, `CET/CEST`, `UTC+03`.
    package static var systemZone: String {
        let year = system.reading(of: .now).date.year
        let names = [1, 7].map { month in
            var (time, fields) = (time_t(WallTime(beginningOfMonth: month, year).seconds), tm())
            guard localtime_r(&time, &fields) != nil, let zone = fields.tm_zone else { return "UTC" }
            let name = String(cString: zone)
            return "+-".contains(name.prefix(1)) ? "UTC" + name : name
        }
        return names[0] == names[1] ? names[0] : names.joined(separator: "/")
    }

    /// The date and time that the zone's clocks show.
    func reading(of date: LogDate) -> WallTime { WallTime(seconds: date.seconds + offset(date.seconds)) }

    /// The moment when the zone's clocks show this. If they show it twice, the first one. If they skip it, the moment
    /// that is as long after the change: an absent 02:30 is 03:30, and an absent midnight is the day's first moment.
    func date(of time: WallTime) -> LogDate? {
        let day: Int64 = 86_400
        let before = time.seconds - offset(time.seconds - day)
        let after = time.seconds - offset(time.seconds + day)
        let isAfter = before + offset(before) != time.seconds && after + offset(after) == time.seconds
        return LogDate(seconds: isAfter ? after : before)
    }

    /// `2026-11-21 06:21:33 +01:00`
    package func text(_ date: LogDate) -> String {
        let minutes = offset(date.seconds) / 60
        let zone = String(format: "%02d:%02d", Int(abs(minutes) / 60), Int(abs(minutes) % 60))
        let reading = LogDate(seconds: reading(of: date).seconds) ?? date
        return reading.wholeSeconds.replacing("T", with: " ") + (minutes < 0 ? " -" : " +") + zone
    }
}

/// A date of the calendar and a time of day, without a time zone.
struct WallTime {
    /// Seconds since 1970 at which UTC's clocks show it.
    var seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    /// Midnight of a day in the calendar's numbers, `2026-11-21`; nil for a day that does not exist.
    init?(day text: Substring) {
        guard let parts = Self.numbers(text, "-", 3...3), (1...12).contains(parts[1]) else { return nil }
        self.init(beginningOfMonth: parts[1], parts[0])
        let next = WallTime(beginningOfMonth: parts[1] + 1, parts[0])
        guard (1...(next.day - day)).contains(Int64(parts[2])) else { return nil }
        day += Int64(parts[2]) - 1
    }

    /// The second of a day that hour, minute and, if there is one, second stand for; nil for a time that no day has.
    static func second(of clock: [Int]) -> Int64? {
        guard zip(clock, [23, 59, 60]).allSatisfy({ $0 <= $1 }) else { return nil }
        return zip(clock, [3600, 60, 1]).reduce(0) { $0 + Int64($1.0 * $1.1) }
    }

    static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { digits($0, 1...4).flatMap { Int($0) } }
        return count.contains(parts.count) && numbers.count == parts.count ? numbers : nil
    }

    /// The text if it consists of this number of digits.
    static func digits(_ text: Substring, _ count: ClosedRange<Int>) -> Substring? {
        count.contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) } ? text : nil
    }

    /// - Parameter month: may be one of another year, before 1 or after 12.
    init(beginningOfMonth month: Int, _ year: Int) {
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(clamping: year - 1900), Int32(clamping: month - 1), 1)
        seconds = Int64(timegm(&fields))
    }

    /// Days since 1 January 1970. Setting it leaves the time of day.
    var day: Int64 {
        get { (seconds - secondOfDay) / 86_400 }
        set { seconds = newValue * 86_400 + secondOfDay }
    }

    var secondOfDay: Int64 {
        get { (seconds % 86_400 + 86_400) % 86_400 }
        set { seconds += newValue - secondOfDay }
    }

    /// 0 is Monday.
    var weekday: Int64 { ((day + 3) % 7 + 7) % 7 }

    /// The year, the month from 1 and the day of the month.
    var date: (year: Int, month: Int, day: Int) {
        var (time, fields) = (time_t(seconds), tm())
        guard gmtime_r(&time, &fields) != nil else { return (1970, 1, 1) }
        return (Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday))
    }

    /// The day of the same number in an earlier month, or its last day if it is shorter.
    func monthsBefore(_ count: Int) -> WallTime {
        let (year, month, day) = date
        var earlier = WallTime(beginningOfMonth: month - count, year)
        let next = WallTime(beginningOfMonth: month - count + 1, year)
        earlier.day += min(Int64(day), next.day - earlier.day) - 1
        earlier.secondOfDay = secondOfDay
        return earlier
    }
}
