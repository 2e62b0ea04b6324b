/// Where a log ends, as far as is known.
struct LogTail {
    /// The last segment.
    var segment: Segment
    /// The offset of the next frame.
    var offset = Int64(Format.segmentHeaderSize)
    /// The size of the segment's file: up to there space is allocated.
    var capacity: Int64
    /// The last record.
    var head: SequenceNumber
    /// Its link.
    var link: ChainValue
    /// Its date.
    var date: Int64
    /// The last record that carries a model; zero if there is none.
    var model: SequenceNumber

    /// At the beginning of a segment.
    init(_ segment: Segment, capacity: Int64) {
        let header = segment.header
        self.segment = segment
        self.capacity = capacity
        head = SequenceNumber(header.firstSequence.rawValue - 1)
        link = header.chain
        date = header.previousDate
        model = header.modelSequence
    }

    mutating func accept(_ header: FrameHeader, link: ChainValue) {
        offset += Int64(header.frameSize)
        head = header.sequence
        self.link = link
        date = header.date
        if header.kind == .model { model = header.sequence }
    }

    var cursor: SegmentCursor {
        SegmentCursor(segment, offset: offset, sequence: head.next, link: link)
    }
}
