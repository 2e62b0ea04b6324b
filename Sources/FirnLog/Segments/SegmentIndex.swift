/// Finds frames in one segment. Stores the place of every 64th frame only, so that it is small compared to the segment.
/// Not for two threads at once.
final class SegmentIndex {
    /// In frames. Walking over this many headers costs some microseconds; an entry takes 16 bytes.
    private static let stride = 64

    private struct Entry {
        var offset: Int64
        var date: Int64
    }

    let segment: Segment
    private let window: FrameWindow
    /// Of frames 0, 64, 128, …, as far as somebody asked. Frame `i` is record `segment.firstSequence + i`.
    private var entries: [Entry] = []
    /// The frame that was asked for last: who reads on asks for the next one.
    private var last = (number: 0, offset: Int64(Format.segmentHeaderSize))

    init(_ segment: Segment) {
        self.segment = segment
        window = FrameWindow(segment.file)
    }

    /// Where a record's frame begins. The record must be there, in this segment.
    ///
    /// Complexity: the first question walks over the headers before the frame, a later one over 64 at most.
    func offset(of sequence: SequenceNumber) throws(LogError) -> Int64 {
        _ = try walk(to: number(sequence))
        return last.offset
    }

    /// The last record of the segment, up to `last`, that is not later than `date`; nil if all are.
    func sequence(
        atOrBefore date: Int64, last: SequenceNumber
    ) throws(LogError) -> SequenceNumber? {
        // Empty after a trim up to the log's head.
        if last < segment.firstSequence { return nil }
        let end = number(last)
        _ = try walk(to: end)
        var (low, high) = (0, end / Self.stride + 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].date <= date { low = middle + 1 } else { high = middle }
        }
        if low == 0 { return nil }
        var found = (low - 1) * Self.stride
        while found < end, try walk(to: found + 1).date <= date { found += 1 }
        return SequenceNumber(segment.firstSequence.rawValue + UInt64(found))
    }

    private func number(_ sequence: SequenceNumber) -> Int {
        Int(sequence.rawValue - segment.firstSequence.rawValue)
    }

    /// Goes from header to header, from the nearest place known, and returns that of the frame. Payloads are not read.
    private func walk(to target: Int) throws(LogError) -> FrameHeader {
        let entry = min(target / Self.stride, entries.count - 1)
        var (number, offset) = (0, Int64(Format.segmentHeaderSize))
        if entry >= 0 { (number, offset) = (entry * Self.stride, entries[entry].offset) }
        if last.number <= target, last.number > number { (number, offset) = last }
        while true {
            let header = try header(of: number, at: offset)
            if number == entries.count * Self.stride { entries.append(Entry(offset: offset, date: header.date)) }
            if number == target {
                last = (number, offset)
                return header
            }
            number += 1
            offset += Int64(header.frameSize)
        }
    }

    private func header(of number: Int, at offset: Int64) throws(LogError) -> FrameHeader {
        let sequence = SequenceNumber(segment.firstSequence.rawValue + UInt64(number))
        var header = try self.header(at: offset)
        if header?.sequence != sequence {
            // What is in memory may be older than the file.
            window.discard()
            header = try self.header(at: offset)
        }
        guard let header, header.sequence == sequence else {
            throw LogError(
                .damaged, "A frame's header is not what was written.", path: segment.path, offset: offset,
                sequence: sequence, expected: "record \(sequence)",
                found: header.map { "record \($0.sequence)" } ?? "other bytes")
        }
        return header
    }

    private func header(at offset: Int64) throws(LogError) -> FrameHeader? {
        let bytes = try window.bytes(at: offset, count: Format.frameHeaderSize)
        guard bytes.count == Format.frameHeaderSize else { return nil }
        return FrameHeader(bytes, seed: segment.seed)
    }
}
