import Foundation

package enum SystemClock {
    /// Microseconds since 1970-01-01 00:00 UTC.
    package static func microseconds() -> Int64 { Int64((Date().timeIntervalSince1970 * 1e6).rounded()) }
}

enum MonotonicClock {
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
