#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The operating system's clock.
enum SystemClock {
    /// Microseconds since 1970-01-01 00:00 UTC.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// The time after this many microseconds, or the last one that there is.
    static func deadline(in microseconds: Int64) -> Int64 {
        let (sum, overflow) = now().addingReportingOverflow(microseconds)
        return overflow ? .max : sum
    }

    static func sleep(microseconds: Int64) {
        var time = timespec(
            tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000) * 1000)
        nanosleep(&time, nil)
    }
}
