/// What `SegmentLog.verify` found.
public struct VerificationReport: Hashable, Sendable {
    /// The last record that was cut off, whose baseline was checked; zero if there is none.
    public var baseline: SequenceNumber = .zero
    /// The first record that the walk began with.
    public var first: SequenceNumber = 1
    public var segmentCount = 0
    /// Records that hold.
    public var recordCount = 0
    /// Bytes of their frames.
    public var byteCount: Int64 = 0
    /// Values that are kept in files of their own; each file was read.
    public var externalValueCount = 0
    /// The last record that holds.
    public var head: SequenceNumber = .zero
    /// The link of that record: it stands for everything up to there.
    public var link: ChainValue = .zero
    /// Every damage, with its place, in the log's order.
    public var problems: [LogError] = []
    /// The torn record that a crash left at the end, or a write that is under way. It is no damage: the next writer
    /// removes it.
    public var tornTail: TornTail?

    public var isSound: Bool { problems.isEmpty }

    public struct TornTail: Hashable, Sendable {
        public var path: String
        public var offset: Int64
        public var size: Int64
    }
}

/// How far a verification is.
public struct VerificationProgress: Hashable, Sendable {
    /// Bytes of the files, the room at their ends included.
    public var bytesDone: Int64
    public var bytesTotal: Int64
    public var records: Int
}
