import Foundation

/// A record's date, in microseconds since 1970, as text.
package struct LogDate: Sendable {
    package let microseconds: Int64

    package init(_ microseconds: Int64) { self.microseconds = microseconds }

    /// Nil for a date that microseconds in 64 bits do not reach.
    init?(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        // Another million is a fraction's room.
        if overflow || abs(seconds) > Int64.max / 1_000_000 - 1 { return nil }
        microseconds = product
    }

    package static var now: LogDate { LogDate(Int64(Date().timeIntervalSince1970 * 1_000_000)) }

    /// Reads what `iso8601`, `local` and `WallClock` write, and beginnings of it: `2026-11-21`, `2026-11-21 06:21`. It
    /// may end in `Z` or, after a time, in `+01:00`; without them the time zone is the clock's. Nil for anything else.
    package init?(parsing text: String, on clock: WallClock = .system) {
        let zone = Self.zone(endingIn: text[...])
        var rest = text.dropLast(zone?.length ?? 0)
        if zone != nil, rest.last == " " { rest.removeLast() }
        let halves = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { "Tt ".contains($0) }
        guard var time = halves.first.flatMap(WallTime.init(day:)) else { return nil }
        var fraction: Int64 = 0
        if halves.count == 2 {
            let parts = halves[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard let clock = parts.first.flatMap({ WallTime.numbers($0, ":", 2...3) }),
                let second = WallTime.second(of: clock)
            else { return nil }
            time.seconds += second
            if parts.count == 2 {
                guard clock.count == 3, let digits = WallTime.digits(parts[1], 1...6) else { return nil }
                fraction = Int64(digits + String(repeating: "0", count: 6 - digits.count)) ?? 0
            }
        }
        guard let date = zone.map({ LogDate(seconds: time.seconds - $0.seconds) }) ?? clock.date(of: time)
        else { return nil }
        microseconds = date.microseconds + fraction
    }

    /// The seconds by which the zone that a text ends in is ahead of UTC, and the length of its name.
    static func zone(endingIn text: Substring) -> (seconds: Int64, length: Int)? {
        if text.last == "Z" || text.last == "z" { return (0, 1) }
        guard let sign = text.lastIndex(where: { "+-".contains($0) }), text[..<sign].contains(":"),
            let parts = WallTime.numbers(text[sign...].dropFirst(), ":", 2...2), parts[0] < 24, parts[1] < 60
        else { return nil }
        let seconds = Int64(parts[0] * 3600 + parts[1] * 60)
        return (text[sign] == "-" ? -seconds : seconds, text[sign...].count)
    }

    /// `2026-11-21T05:21:33.123456Z`
    package var iso8601: String { wholeSeconds + fraction + "Z" }

    /// `2026-11-21T05:21:33`, in UTC.
    package var wholeSeconds: String { parts(gmtime_r, "%04d-%02d-%02dT%02d:%02d:%02d") }

    /// `2026-11-21 06:21:33`, in the local time zone. Clocks that are set back show an hour twice: the second time it
    /// is `2026-10-25 02:21:33 +01:00`.
    package var local: String {
        let clock = WallClock.system
        guard clock.date(of: clock.reading(of: self))?.seconds == seconds else { return clock.text(self) }
        return parts(localtime_r, "%04d-%02d-%02d %02d:%02d:%02d")
    }

    private var fraction: String {
        let part = microseconds - seconds * 1_000_000
        return "." + String(1_000_000 + part).dropFirst()
    }

    var seconds: Int64 {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private func parts(
        _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?,
        _ format: String
    ) -> String {
        var time = time_t(seconds)
        var fields = tm()
        guard convert(&time, &fields) != nil else { return "\(seconds)" }
        return String(
            format: format, Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday),
            Int(fields.tm_hour), Int(fields.tm_min), Int(fields.tm_sec))
    }
}
