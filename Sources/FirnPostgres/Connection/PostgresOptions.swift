/// How a log on a server is used. Times are in microseconds.
public struct PostgresOptions: Hashable, Sendable {
    /// How long an operation retries after the connection was lost before it fails. Connecting is part of it, shared by
    /// the address's hosts: each of them gets two seconds at least.
    public var timeout: Int64
    /// How long a server may take without a sign of life before the connection counts as lost. An append is never
    /// cancelled: it may still happen.
    public var answerTimeout: Int64
    /// How often followers poll, in addition to being notified.
    public var pollInterval: Int64
    /// The least time between two notifications that a writer sends to followers. An append after a longer pause
    /// notifies them at once.
    public var notifyInterval: Int64
    /// Where followers connect, if that is another address: notifications need a session on the primary, which
    /// PgBouncer does not give in its transaction mode.
    public var followerAddress: PostgresAddress?
    /// Refuses to open a log for which an acknowledged append is on fewer disks than this.
    public var diskCountMin: Int

    public init(
        timeout: Int64 = 30_000_000, answerTimeout: Int64 = 30_000_000, pollInterval: Int64 = 2_000_000,
        notifyInterval: Int64 = 2000, followerAddress: PostgresAddress? = nil, diskCountMin: Int = 0
    ) {
        self.timeout = timeout
        self.answerTimeout = answerTimeout
        self.pollInterval = pollInterval
        self.notifyInterval = notifyInterval
        self.followerAddress = followerAddress
        self.diskCountMin = diskCountMin
    }
}

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
