import Synchronization

/// A segment log that is one machine's copy of a shared log.
///
///     append     make the frame → append it to the shared log, if that still ends where this one ends
///                → append the same bytes here
///     overtaken  another machine was faster: its frames are fetched, and the caller retries
///     unknown    no answer: nothing is appended here. The frame's link shows later whether it was appended there
///
/// Records that are appended together are sent together.
///
/// The copy never has a record that the shared log did not acknowledge. It is not synced: records that a power failure
/// removes are fetched again.
extension SegmentLog {
    private static let pieceSize = 4 << 20

    /// Whether the log in the folder is a copy; nothing but its shared log may add to it.
    public var isCopy: Bool { upstream != nil || sharedPlace != nil }

    /// Fetches all records that the shared log has and this copy lacks. Returns where both end then.
    ///
    /// - Parameter progress: called with the last record here after each step.
    @discardableResult
    public func pullUpstream(progress: (SequenceNumber) throws -> Void = { _ in }) throws -> LogCheckpoint {
        guard let upstream else { return try end() }
        let end = try upstream.perform(storeID) { shared in
            try explainingDivergence(from: shared) {
                try retryingAfterTrim(from: shared) {
                    try pull(from: shared, sizeMax: Self.pieceSize, progress: progress)
                }
            }
        }
        upstream.recordHead(end.sequence)
        return end
    }

    /// Runs `body`; again with the shared log's baseline, if the records that follow were cut off there.
    private func retryingAfterTrim<R>(from shared: any ChangeLog, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as LogError where error.code == .missing {
            guard try head < shared.beginning().sequence else { throw error }
            try exclusively { try rebuildAfterTrim(from: shared) }
            return try body()
        }
    }

    /// Replaces this copy's attachment by the shared log's.
    public func pullAttachment() throws {
        guard let upstream, let bytes = try upstream.perform(storeID, { try $0.attachment() }) else { return }
        if try attachment() != bytes {
            try Self.store(attachment: bytes, directory: directory, fileSystem: fileSystem)
        }
    }

    /// Whether the log has this very record, as far as can be told: nil if neither it nor another one in its place is
    /// there. To be called with the writer's lock held; asks the shared log, and throws `overtaken`
    /// if that had more records.
    ///
    /// - Parameter ignoresPause: asks the server although it was unreachable a moment ago.
    public func holds(
        _ link: ChainValue, at sequence: SequenceNumber, ignoresPause: Bool = false
    ) throws -> Bool? {
        let head = head
        if let upstream, sequence > head {
            try upstream.perform(storeID, ignoresPause: ignoresPause) { try fetchRecords(from: $0) }
            if self.head > head { throw overtaken(upstream) }
        }
        return try self.link(at: sequence).map { $0 == link }
    }

    /// Appends records to the shared log by one statement, if it still ends where this copy ends, and then here.
    ///
    /// Where there was no answer, each failure has its record's number and link.
    func append(_ records: [PreparedRecord], to upstream: Upstream) throws -> [Result<LogMark, LogError>] {
        let run = try encoder.run(records.map { ($0.body, $0.header) }, after: known)
        stateLock.withLock { expected = run.end.sequence }
        let outcome: AppendOutcome
        do {
            outcome = try upstream.perform(storeID, ignoresPause: false) { shared in
                let named = records.flatMap(\.body.externalReferences)
                try shared.copyValues(named, from: self)
                let outcome = try shared.append(run)
                // Another machine may have removed values that no record named before the append.
                if outcome == .appended { try shared.copyValues(named, from: self) }
                return outcome
            }
        } catch let error as LogError where error.code == .outcomeUnknown {
            return run.unanswered(error)
        }
        if case .conflict(let end) = outcome {
            upstream.recordHead(end.sequence)
            try upstream.perform(storeID) { try fetchRecordsOrThrow(from: $0, through: end.sequence) }
            throw overtaken(upstream)
        }
        upstream.recordHead(run.end.sequence)
        hasAppended = true
        do throws(LogError) {
            for frame in run.frames { try append(frame, of: run) }
        } catch {
            // The next ones to come fetch them. To the callers that is the same as no answer.
            return run.unanswered(
                LogError(
                    .outcomeUnknown,
                    "The record was appended to \(upstream.place), and could not be kept here. \(error)",
                    path: directory, underlyingErrno: error.underlyingErrno))
        }
        return run.frames.map { .success(LogMark(head: $0.sequence, link: $0.link, durable: .zero)) }
    }

    /// Whether the record is here, or was sent to the shared log.
    func expects(_ sequence: SequenceNumber) -> Bool {
        stateLock.withLock { sequence <= max(tail.head, expected) }
    }

    func overtaken(_ upstream: Upstream) -> LogError {
        LogError(.overtaken, "Another machine saved first; save again.", path: upstream.place)
    }

    /// Where it ends, as far as is known here.
    var known: LogCheckpoint {
        stateLock.withLock { LogCheckpoint(storeID: storeID, sequence: tail.head, date: tail.date, link: tail.link) }
    }

    /// As `fetchRecords`, after the shared log answered that it does not end where this one ends. Throws `diverged` if
    /// there is nothing to fetch because it lacks records of this copy: retrying would never end.
    func fetchRecordsOrThrow(from log: any ChangeLog, through last: SequenceNumber) throws {
        let start = known
        try fetchRecords(from: log, through: last)
        if known.link == start.link, let divergence = try divergence(from: log) { throw divergence }
    }

    /// Appends the records that the shared log has after this copy's end. Call with the writer's lock held.
    ///
    /// - Parameter last: where to stop asking for more.
    func fetchRecords(from log: any ChangeLog, through last: SequenceNumber = SequenceNumber(.max)) throws {
        try explainingDivergence(from: log) { try fetchFrames(from: log, through: last) }
    }

    private func fetchFrames(from log: any ChangeLog, through last: SequenceNumber) throws {
        while known.sequence < last {
            let run: FrameRun
            do { run = try log.frames(after: known, sizeMax: Self.pieceSize) } catch let error as LogError
                where error.code == .missing
            {
                guard try head < log.beginning().sequence else { throw error }
                try rebuildAfterTrim(from: log)
                continue
            }
            if run.isEmpty { return }
            try copyValues(log.externalReferences(in: run), from: log)
            for frame in run.frames {
                try recordPendingErasure(frame, of: run)
                try append(frame, of: run)
            }
            upstream?.recordHead(run.end.sequence)
        }
    }

    /// Throws if this is a copy: only its shared log may be changed so.
    func refuseCopy(_ what: String) throws(LogError) {
        guard let place = upstream?.place ?? sharedPlace else { return }
        throw LogError(
            .readOnly,
            "This is this machine's copy of the log at \(place), and cannot be \(what) here; pull the log into a store "
                + "of its own first.", path: directory)
    }

    /// Throws if this copy was opened without its shared log, which would never get what is appended here alone.
    func refuseDetachedCopy() throws(LogError) {
        guard upstream == nil, let sharedPlace else { return }
        throw LogError(
            .readOnly,
            "This is this machine's copy of the log at \(sharedPlace); open the store at that address to write to it.",
            path: directory)
    }

    /// Whether the folder's log, sound or not, is a copy of a shared one.
    public static func isCopy(
        directory: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> Bool { try sharedPlace(of: directory, fileSystem) != nil }

    /// The place of the shared log that the folder's log is a copy of; nil if it is no copy.
    static func sharedPlace(of directory: String, _ fileSystem: any FileSystem) throws(LogError) -> String? {
        let path = directory + "/" + Format.upstreamName
        return try attempt { () throws(FileError) in
            guard try fileSystem.kind(of: path) != nil else { return nil }
            return String(decoding: try fileSystem.contents(of: path), as: UTF8.self)
        }
    }

    /// Stores in the folder that its log is a copy.
    static func markCopy(
        of place: String, in directory: String, _ fileSystem: any FileSystem
    ) throws(LogError) {
        if try sharedPlace(of: directory, fileSystem) == place { return }
        let path = directory + "/" + Format.upstreamName
        try attempt { () throws(FileError) in
            try fileSystem.replaceFile(path, in: directory, with: [UInt8](place.utf8))
        }
    }
}

extension FrameRun {
    /// The failure of each record, by which its caller can ask later whether it was appended.
    fileprivate func unanswered(_ error: LogError) -> [Result<LogMark, LogError>] {
        frames.map { frame in
            var failure = error
            failure.refer(
                to: LogCheckpoint(
                    storeID: start.storeID, sequence: frame.sequence, date: frame.date, link: frame.link))
            return .failure(failure)
        }
    }
}
