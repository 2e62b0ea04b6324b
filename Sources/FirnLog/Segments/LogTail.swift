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

/// The files of a log's folder, and which of them are active.
///
/// A baseline of record n is active once the segment of record n + 1 exists too. From then on all earlier files are
/// leftovers, which the next writer removes:
///
///     1.segment  91.segment                                    the log
///     1.segment  91.segment  120.baseline                      the same
///     1.segment  91.segment  120.baseline  121.segment         records 121 … , after the baseline
struct LogContents: Hashable {
    /// The first record of each active segment, ascending.
    var starts: [SequenceNumber]
    /// The last record that a baseline stands in for; zero if there is none.
    var baseline: SequenceNumber = .zero
    /// Names of files that are not active.
    var leftovers: [String] = []
    /// Names of dictionaries, in use or not.
    var dictionaries: [String] = []

    init(names: [String]) {
        let all = names.compactMap { Format.firstSequence(ofSegmentNamed: $0) }.sorted()
        let baselines = names.compactMap { Format.lastSequence(ofBaselineNamed: $0) }.sorted()
        starts = all
        if let last = baselines.last(where: { all.contains($0.next) }) {
            baseline = last
            starts = all.filter { $0 > last }
            leftovers = all.filter { $0 <= last }.map(Format.segmentName)
        }
        dictionaries = names.filter(Format.isDictionary).sorted()
        leftovers += baselines.filter { $0 != baseline }.map(Format.baselineName)
    }

    init(of directory: String, _ fileSystem: any FileSystem) throws(LogError) {
        let names = try attempt { () throws(FileError) in try fileSystem.list(directory) }
        self.init(names: names)
    }
}
