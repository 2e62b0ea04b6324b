import Foundation

/// A record's date, in microseconds since 1970, as text.
package struct LogDate: Sendable {
    package let microseconds: Int64

    package init(_ microseconds: Int64) { self.microseconds = microseconds }

    /// Reads what `iso8601` and `local` write, and beginnings of it: `2026-11-21`, `2026-11-21 06:21`. A `Z` at the
    /// end says UTC; without it the time zone is the local one. Nil for anything else.
    package init?(parsing text: String) {
        var rest = Substring(text)
        let isUniversal = rest.last == "Z"
        if isUniversal { rest.removeLast() }
        let halves = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = halves.first, let seconds = Self.seconds(whole, isUniversal) else { return nil }
        var fraction: Int64 = 0
        if halves.count == 2 {
            guard (1...6).contains(halves[1].count), halves[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let digits = Int64(halves[1] + String(repeating: "0", count: 6 - halves[1].count))
            else { return nil }
            fraction = digits
        }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflow { return nil }
        microseconds = product + fraction
    }

    private static func seconds(_ text: Substring, _ isUniversal: Bool) -> Int64? {
        let halves = text.split(separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count), let day = numbers(halves[0], "-", 3...3),
            let time = halves.count == 1 ? [] : numbers(halves[1], ":", 2...3),
            (1...12).contains(day[1]), (1...31).contains(day[2]), zip(time, [23, 59, 60]).allSatisfy({ $0 <= $1 })
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(day[0] - 1900), Int32(day[1] - 1), Int32(day[2]))
        let clock = time + [0, 0, 0]
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(clock[0]), Int32(clock[1]), Int32(clock[2]))
        fields.tm_isdst = -1
        return Int64(isUniversal ? timegm(&fields) : mktime(&fields))
    }

    private static func numbers(_ text: Substring, _ separator: Character, _ count: ClosedRange<Int>) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.count <= 4 && part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        return count.contains(parts.count) && numbers.count == parts.count ? numbers : nil
    }

    /// `2026-11-21T05:21:33.123456Z`
    package var iso8601: String { wholeSeconds + fraction + "Z" }

    /// `2026-11-21T05:21:33`, in UTC.
    package var wholeSeconds: String { parts(gmtime_r, "%04d-%02d-%02dT%02d:%02d:%02d") }

    /// `2026-11-21 06:21:33`, in the local time zone.
    package var local: String { parts(localtime_r, "%04d-%02d-%02d %02d:%02d:%02d") }

    private var fraction: String {
        let part = microseconds - seconds * 1_000_000
        return "." + String(1_000_000 + part).dropFirst()
    }

    private var seconds: Int64 {
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
