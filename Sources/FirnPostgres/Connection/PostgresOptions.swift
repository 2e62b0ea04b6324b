/// How a log on a server is used. Times are in microseconds.
public struct PostgresOptions: Hashable, Sendable {
    /// How long to try again after the connection was lost before an operation fails. Connecting is part of it, shared
    /// by the address's hosts: each of them gets two seconds at least.
    public var patience: Int64
    /// How long a server may take without a sign of life before the connection counts as lost. An append is never
    /// cancelled: it may still happen.
    public var answerTimeout: Int64
    /// How often followers look by themselves, beside being notified.
    public var pollInterval: Int64
    /// How long after it woke followers a writer may wait before it wakes them again, for all that it appended
    /// meanwhile. An append after a longer pause wakes them at once.
    public var wakeUpInterval: Int64
    /// Where followers connect, if that is another address: notifications need a session on the primary, which
    /// PgBouncer does not give in its transaction mode.
    public var followerAddress: PostgresAddress?
    /// Refuses to open a log for which an acknowledged append is on fewer disks than this.
    public var diskCountMin: Int

    public init(
        patience: Int64 = 30_000_000, answerTimeout: Int64 = 30_000_000, pollInterval: Int64 = 2_000_000,
        wakeUpInterval: Int64 = 2000, followerAddress: PostgresAddress? = nil, diskCountMin: Int = 0
    ) {
        self.patience = patience
        self.answerTimeout = answerTimeout
        self.pollInterval = pollInterval
        self.wakeUpInterval = wakeUpInterval
        self.followerAddress = followerAddress
        self.diskCountMin = diskCountMin
    }
}
