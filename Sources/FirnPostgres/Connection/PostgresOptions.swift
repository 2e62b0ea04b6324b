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
