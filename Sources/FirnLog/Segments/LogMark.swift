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

extension SegmentLog {
    /// Where the log stands, as far as is known here.
    public var mark: LogMark {
        monitor.locked { LogMark(head: tail.head, link: tail.link, durable: durable) }
    }

    /// The link of a record; nil if it is not in the log (any more). Complexity: that of `frame(at:)`, but O(1) for the
    /// last one.
    public func link(at sequence: SequenceNumber) throws -> ChainValue? {
        let mark = mark
        if sequence == mark.head { return mark.link }
        guard sequence > .zero, sequence >= first, sequence < mark.head else { return nil }
        return try frame(at: sequence).link
    }
}
