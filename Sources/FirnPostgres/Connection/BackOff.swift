/// How long to wait before each further try: twice as long each time, from next to nothing (an idle connection that
/// somebody on the way has cut) up to two seconds, and a random part of that, so that a thousand clients do not come
/// back at once.
struct BackOff {
    private static let first: Int64 = 2000
    private static let longest: Int64 = 2_000_000

    /// When to give up, in microseconds.
    private let deadline: Int64
    private var next = first

    /// - Parameter now: in microseconds of any clock, here and below.
    init(now: Int64, timeout: Int64) { deadline = now + timeout }

    /// The time to wait before the next try, in microseconds; nil if it is time to give up.
    mutating func delay(now: Int64, using generator: inout some RandomNumberGenerator) -> Int64? {
        guard now < deadline else { return nil }
        let delay = Int64.random(in: next / 2...next, using: &generator)
        next = min(2 * next, Self.longest)
        return min(delay, deadline - now)
    }
}
