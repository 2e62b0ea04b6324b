/// One walk over a log: what is known at each step.
struct Verification {
    private let log: SegmentLog
    private let progress: (VerificationProgress) -> Void
    private let each: (LogRecord) -> Void
    private let decompressor = Decompressor()
    private(set) var report = VerificationReport()

    private var bytesDone: Int64 = 0
    private var bytesTotal: Int64 = 0
    /// The date of the record before.
    private var date = Int64.min
    /// The link and the number of the record before; nil at the beginning and behind damage.
    private var previous: (sequence: SequenceNumber, link: ChainValue)?
    /// Redacted records, until an erasure names their digests.
    private var redacted: [SequenceNumber: (digest: ChainValue, path: String, offset: Int64)] = [:]
    /// Models that were met. Change sets may also name one from before the walk.
    private var models: Set<SequenceNumber> = []

    /// Values in files of their own, with the first record that names each.
    private var external: [ExternalReference: SequenceNumber] = [:]

    /// Bytes between two calls of `progress`.
    private static let progressStep: Int64 = 1 << 20
    private var reported: Int64 = 0

    init(
        _ log: SegmentLog, progress: @escaping (VerificationProgress) -> Void, each: @escaping (LogRecord) -> Void
    ) {
        self.log = log
        self.progress = progress
        self.each = each
    }

    /// Walks over the baseline, then over the segments that begin with `starts`.
    mutating func run(_ starts: [SequenceNumber], baseline: SequenceNumber) {
        report.first = starts.first ?? 1
        if baseline > .zero { self.baseline(baseline) }
        for start in starts {
            let segment = try? log.openSegment(start)
            bytesTotal += (try? segment?.file.size()) ?? 0
        }
        for (index, start) in starts.enumerated() {
            let base = bytesDone
            do throws(LogError) {
                let size = try segment(start, isLast: index == starts.count - 1)
                bytesDone = base + size
            } catch {
                report.problems.append(error)
                previous = nil
            }
            reportProgress()
        }
        checkExternalValues()
        for (sequence, place) in redacted.sorted(by: { $0.key < $1.key }) {
            report.problems.append(
                LogError(
                    .damaged,
                    "A record was rewritten, and no erasure names its new digest: it was changed, or an erasure is in "
                        + "progress or was interrupted, which opening the store completes.",
                    path: place.path, offset: place.offset, sequence: sequence,
                    expected: "an erasure that names \(place.digest)", found: "none"))
        }
    }

    /// Holds the files of values to what the records say of them, those of the first records first.
    private mutating func checkExternalValues() {
        let values = log.externalValues
        report.externalValueCount = external.count
        let inOrder = external.sorted { ($0.value, $0.key.fileName) < ($1.value, $1.key.fileName) }
        for (reference, sequence) in inOrder {
            guard var problem = values.problem(reference) else { continue }
            problem.sequence = sequence
            report.problems.append(problem)
        }
    }

    private mutating func collectReferences(_ body: LogRecord.Body, at sequence: SequenceNumber) {
        body.forEachExternalReference { external[$0] = external[$0] ?? sequence }
    }

    /// Erasures come after the records that they name.
    private mutating func accept(_ erasure: Erasure) {
        for replacement in erasure.replaced where redacted[replacement.sequence]?.digest == replacement.digest {
            redacted[replacement.sequence] = nil
        }
    }

    mutating func missesBeginning(_ start: SequenceNumber) {
        report.problems.append(
            LogError(
                .damaged, "The log's first segments are gone, and no baseline stands in for them; restore them.",
                path: log.directory, sequence: 1, expected: "record 1", found: "\(start)"))
    }

    /// Checks the baseline on its own, since the records that it replaces are gone.
    private mutating func baseline(_ sequence: SequenceNumber) {
        report.baseline = sequence
        do throws(LogError) {
            let reader = try BaselineReader(
                sequence, in: log.directory, storeID: log.storeID, fileSystem: log.fileSystem)
            previous = (sequence, reader.header.chain)
            (report.head, report.link) = (sequence, reader.header.chain)
            while let part = try reader.next() {
                if case .model(let model, _) = part { models.insert(model) }
                collectReferences(.baseline(part), at: sequence)
                each(reader.record(of: part))
            }
            report.byteCount += reader.offset
        } catch {
            report.problems.append(error)
        }
    }

    /// Walks one segment; returns its file's size.
    private mutating func segment(
        _ start: SequenceNumber, isLast: Bool
    ) throws(LogError) -> Int64 {
        let segment = try log.openSegment(start)
        report.segmentCount += 1
        checkBeginning(segment)
        date = max(date, segment.header.previousDate)
        let base = bytesDone
        var cursor = SegmentCursor(segment)
        while true {
            var problem: LogError?
            switch try cursor.next() {
            case .frame(let frame):
                accept(frame, in: segment)
                bytesDone = base + frame.end
                if bytesDone - reported >= Self.progressStep { reportProgress() }
                continue
            case .nothing: break
            case .invalid(let error): problem = error
            }
            guard let next = try ending(cursor, problem, isLast) else {
                return try attempt { () throws(FileError) in try segment.file.size() }
            }
            cursor = next
        }
    }

    /// The segment has to begin where the one before ended.
    private mutating func checkBeginning(_ segment: Segment) {
        defer {
            let before = SequenceNumber(segment.firstSequence.rawValue - 1)
            previous = (before, segment.header.chain)
        }
        guard let previous else { return }
        if previous.sequence.next != segment.firstSequence {
            report.problems.append(
                LogError(
                    .damaged, "Records are gone between two segments; restore them from a backup.",
                    path: segment.path, offset: Int64(Format.SegmentOffset.firstSequence),
                    expected: "record \(previous.sequence.next)", found: "\(segment.firstSequence)"))
        } else if previous.link != segment.header.chain {
            report.problems.append(
                LogError(
                    .damaged, "The segment is not chained to the one before it.", path: segment.path,
                    offset: Int64(Format.SegmentOffset.chain), sequence: segment.firstSequence,
                    expected: "\(previous.link)", found: "\(segment.header.chain)"))
        }
    }

    private mutating func accept(_ frame: Frame, in segment: Segment) {
        let header = frame.header
        report.recordCount += 1
        report.byteCount += Int64(header.frameSize)
        report.head = header.sequence
        report.link = frame.link
        previous = (header.sequence, frame.link)
        if header.date < date {
            report.problems.append(
                problem("A record is dated before the one before it.", frame, segment, "\(date)", "\(header.date)"))
        }
        date = max(date, header.date)
        do throws(LogError) {
            let record = try decode(frame, in: segment, decompressor)
            if let redaction = frame.redaction {
                redacted[header.sequence] = (redaction.replacement, segment.path, frame.offset)
            }
            if case .erasure(let erasure) = record.body { accept(erasure) }
            if case .model = record.body { models.insert(header.sequence) }
            collectReferences(record.body, at: header.sequence)
            if case .changes(let changes) = record.body, !isModel(changes.model, before: header.sequence) {
                report.problems.append(
                    problem("A change set names a model that is not there.", frame, segment,
                        "a model at record \(changes.model)", "none"))
            }
            each(record)
        } catch {
            report.problems.append(error)
        }
    }

    private func isModel(_ model: SequenceNumber, before sequence: SequenceNumber) -> Bool {
        if models.contains(model) { return true }
        return model < sequence && (try? log.model(at: model)) != nil
    }

    /// After the last frame that holds: notes what is wrong, and returns a cursor behind it if there is more.
    private mutating func ending(
        _ cursor: SegmentCursor, _ error: LogError?, _ isLast: Bool
    ) throws(LogError) -> SegmentCursor? {
        let segment = cursor.segment
        let rest = try TailInspection(segment, from: cursor.offset, missing: cursor.sequence)
        guard let usedEnd = rest.usedEnd else { return nil }
        if isLast, rest.witness == nil {
            report.tornTail = .init(
                path: segment.path, offset: cursor.offset, size: usedEnd - cursor.offset)
            return nil
        }
        report.problems.append(
            error
                ?? LogError(
                    .damaged, "A frame is gone, but bytes follow it.", path: segment.path,
                    offset: cursor.offset, sequence: cursor.sequence,
                    expected: "record \(cursor.sequence)", found: "zeros"))
        previous = nil
        let later = try TailInspection(
            segment, from: cursor.offset + Int64(Format.alignment), missing: cursor.sequence,
            anyLater: true)
        guard let witness = later.witness else { return nil }
        return try resume(segment, at: witness, after: cursor)
    }

    /// A cursor at the first frame behind damage. It is chained to the 32 bytes before it; if these are what was
    /// damaged, to the link that the frame before has to have.
    private func resume(
        _ segment: Segment, at witness: TailInspection.Witness, after broken: SegmentCursor
    ) throws(LogError) -> SegmentCursor {
        var link = [UInt8](repeating: 0, count: Format.linkSize)
        _ = try link.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in
                try segment.file.read(into: target, at: witness.offset - Int64(Format.linkSize))
            }
        }
        let stored = SegmentCursor(
            segment, offset: witness.offset, sequence: witness.sequence,
            link: link.withUnsafeBytes { ChainValue(bytes: $0) })
        guard witness.sequence == broken.sequence.next, let computed = try broken.computedLink() else {
            return stored
        }
        var probe = stored
        if case .frame = try probe.next() { return stored }
        return SegmentCursor(
            segment, offset: witness.offset, sequence: witness.sequence, link: computed)
    }

    private func problem(
        _ message: String, _ frame: Frame, _ segment: Segment, _ expected: String, _ found: String
    ) -> LogError {
        LogError(
            .damaged, message, path: segment.path, offset: frame.offset, sequence: frame.header.sequence,
            expected: expected, found: found)
    }

    private mutating func reportProgress() {
        reported = bytesDone
        progress(
            VerificationProgress(
                bytesDone: bytesDone, bytesTotal: bytesTotal, records: report.recordCount))
    }
}

extension LogMaintenance {
    /// Walks over every frame from the segment that holds `first` on: checksums, chain, numbers, dates, contents.
    /// All damage is reported with its place; the walk continues behind it.
    ///
    /// `each` is called with what `SegmentLog.replay(after:)` gives: the parts of the baseline, and every record that
    /// holds. Throws only if the folder cannot be read at all.
    public func verify(
        from first: SequenceNumber = .zero, progress: @escaping (VerificationProgress) -> Void = { _ in },
        each: @escaping (LogRecord) -> Void = { _ in }
    ) throws -> VerificationReport {
        try log.stateLock.withLock { try log.checkOpen() }
        let contents = try LogContents(of: log.directory, log.fileSystem)
        let begin = contents.starts.last { $0 <= first } ?? contents.starts.first ?? .zero
        var verification = Verification(log, progress: progress, each: each)
        let starts = contents.starts.filter { $0 >= begin }
        let isWhole = starts == contents.starts
        if isWhole, contents.baseline == .zero, let start = starts.first, start > 1 {
            verification.missesBeginning(start)
        }
        verification.run(starts, baseline: isWhole ? contents.baseline : .zero)
        return verification.report
    }
}

/// The findings of `LogMaintenance.verify`.
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
