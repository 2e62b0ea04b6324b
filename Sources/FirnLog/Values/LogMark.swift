/// Where a log stands: what a reader keeps to find out later whether the log still holds what it has read.
public struct LogMark: Hashable, Sendable {
    /// The last record.
    public var head: SequenceNumber
    /// Its link: it stands for everything up to there.
    public var link: ChainValue
    /// All records up to this one are known to survive the loss of power.
    public var durable: SequenceNumber

    public init(head: SequenceNumber, link: ChainValue, durable: SequenceNumber) {
        self.head = head
        self.link = link
        self.durable = durable
    }
}
