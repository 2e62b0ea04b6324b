internal import Foundation

/// The value of `now()` in a fetch: the time when its plan is made.
enum FetchClock {
    /// Seconds since 2001.
    static var now: Double { Date().timeIntervalSinceReferenceDate }
}
