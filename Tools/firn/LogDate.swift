import Foundation

/// A record's date, in microseconds since 1970, as text.
struct LogDate {
    private let microseconds: Int64

    init(_ microseconds: Int64) { self.microseconds = microseconds }

    /// `2026-11-21T05:21:33.123456Z`
    var iso8601: String { parts(gmtime_r, "%04d-%02d-%02dT%02d:%02d:%02d") + fraction + "Z" }

    /// `2026-11-21 06:21:33`, in the local time zone.
    var local: String { parts(localtime_r, "%04d-%02d-%02d %02d:%02d:%02d") }

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
