/// How long a connection may take to be made, and may be silent.
package struct ConnectLimits: Hashable {
    /// libpq's `connect_timeout`, which holds for each host.
    package let secondsPerHost: Int64
    /// libpq's `tcp_user_timeout` in milliseconds: for so long the other machine's kernel need not answer.
    package let silence: Int64

    /// libpq takes less than two seconds for two.
    private static let secondsMin: Int64 = 2
    private static let silenceMax: Int64 = 15_000

    /// - Parameter time: for all hosts together, in microseconds.
    package init(time: Int64, hostCount: Int) {
        let count = Int64(max(1, hostCount))
        secondsPerHost = max(Self.secondsMin, min(Int64(Int32.max), time / 1_000_000) / count)
        silence = min(Self.silenceMax, max(Self.secondsMin * 1000, time / 1000))
    }
}
