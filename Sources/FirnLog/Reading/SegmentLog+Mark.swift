extension SegmentLog {
    /// Where the log stands, as far as is known here.
    public var mark: LogMark {
        stateLock.withLock { LogMark(head: tail.head, link: tail.link, durable: durable) }
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
