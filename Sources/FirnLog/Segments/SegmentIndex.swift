/// Where the frames of one segment stand, as far as somebody asked. Not for two threads at once.
final class SegmentIndex {
    let segment: Segment
    private let window: FrameWindow
    /// Of frame `i`, which is record `segment.firstSequence + i`.
    private(set) var offsets: [Int64] = []
    private(set) var dates: [Int64] = []
    /// Where the first frame that is not known begins.
    private var end = Int64(Format.segmentHeaderSize)

    init(_ segment: Segment) {
        self.segment = segment
        window = FrameWindow(segment.file)
    }

    /// Where a record's frame begins. The record must be there, in this segment.
    func offset(of sequence: SequenceNumber) throws(LogError) -> Int64 {
        try extend(through: sequence)
        return offsets[Int(sequence.rawValue - segment.firstSequence.rawValue)]
    }

    /// The last record of the segment, up to `last`, that is not later than `date`; nil if all are.
    func sequence(
        atOrBefore date: Int64, last: SequenceNumber
    ) throws(LogError) -> SequenceNumber? {
        try extend(through: last)
        var (low, high) = (0, dates.count)
        while low < high {
            let middle = (low + high) / 2
            if dates[middle] <= date { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : SequenceNumber(segment.firstSequence.rawValue + UInt64(low) - 1)
    }

    /// Walks from header to header; payloads are not read.
    private func extend(through sequence: SequenceNumber) throws(LogError) {
        while segment.firstSequence.rawValue + UInt64(offsets.count) <= sequence.rawValue {
            let next = SequenceNumber(segment.firstSequence.rawValue + UInt64(offsets.count))
            var header = try header(at: end)
            if header?.sequence != next {
                window.discard()
                header = try self.header(at: end)
            }
            guard let header, header.sequence == next else {
                throw LogError(
                    .damaged, "A frame's header is not what was written.", path: segment.path, offset: end,
                    sequence: next, expected: "record \(next)",
                    found: header.map { "record \($0.sequence)" } ?? "other bytes")
            }
            offsets.append(end)
            dates.append(header.date)
            end += Int64(header.frameSize)
        }
    }

    private func header(at offset: Int64) throws(LogError) -> FrameHeader? {
        let bytes = try window.bytes(at: offset, count: Format.frameHeaderSize)
        guard bytes.count == Format.frameHeaderSize else { return nil }
        return FrameHeader(bytes, seed: segment.seed)
    }
}
