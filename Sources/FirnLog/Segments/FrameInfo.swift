/// Where a record stands and what it takes, without its contents.
public struct FrameInfo: Hashable, Sendable {
    public var sequence: SequenceNumber
    public var kind: FrameKind
    /// Microseconds since 1970.
    public var date: Int64
    /// The segment's file.
    public var path: String
    /// Where in it the frame begins.
    public var offset: Int64
    /// Bytes of the frame: header, payload, alignment and link.
    public var frameSize: Int
    /// Bytes of the payload in the file.
    public var storedSize: Int
    /// Bytes of the payload before compression.
    public var rawSize: Int
    /// Whether values were taken out of it.
    public var isRedacted: Bool
    /// The value that chains the next frame to this one and all before: two logs with the same link at the same record
    /// are the same up to there.
    public var link: ChainValue

    init(_ frame: Frame, _ segment: Segment) {
        sequence = frame.header.sequence
        kind = frame.header.kind
        date = frame.header.date
        path = segment.path
        offset = frame.offset
        frameSize = frame.header.frameSize
        storedSize = Int(frame.header.storedSize)
        rawSize = Int(frame.header.rawSize)
        isRedacted = frame.redaction != nil
        link = frame.link
    }
}
