internal import Foundation

/// The time that `now()` in a fetch stands for: that of making its plan.
enum FetchClock {
    /// Seconds since 2001.
    static var now: Double { Date().timeIntervalSinceReferenceDate }
}
