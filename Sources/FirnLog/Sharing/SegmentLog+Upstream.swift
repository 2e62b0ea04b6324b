import Synchronization

/// A segment log that is one machine's copy of a shared log.
///
///     append     make the frame → append it to the shared log, if that still ends where this one ends
///                → the same bytes go here
///     overtaken  another machine was faster: its frames are brought here, and the caller begins again
///     unknown    no answer: nothing goes here. The frame's link tells later whether it was appended
///
/// Small records of several threads go together (`AppendQueue`).
///
/// The copy never holds a record that the shared log did not acknowledge. It is not synced: what the power takes from
/// it is brought again.
extension SegmentLog {
    private static let pieceSize = 4 << 20

    /// Whether the log in the folder is a copy; nothing but its shared log may add to it.
    public var isCopy: Bool { upstream != nil || sharedPlace != nil }

    /// Brings everything that the shared log has here. Returns where both end then.
    ///
    /// - Parameter progress: called with the last record here after each step.
    @discardableResult
    public func pullUpstream(progress: (SequenceNumber) throws -> Void = { _ in }) throws -> LogCheckpoint {
        guard let upstream else { return try end() }
        let end = try upstream.perform(storeID) { shared in
            try explainingDivergence(from: shared) {
                try orBeginAnew(from: shared) { try pull(from: shared, sizeMax: Self.pieceSize, progress: progress) }
            }
        }
        upstream.note(end.sequence)
        return end
    }

    /// Once more, with the shared log's baseline, if what follows here was cut off there.
    private func orBeginAnew<R>(from shared: any ChangeLog, _ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as LogError where error.code == .missing {
            guard try head < shared.beginning().sequence else { throw error }
            try withWriterLock { _ in try beginAnew(from: shared) }
            return try body()
        }
    }

    /// Takes what the application says of the store from the shared log.
    public func pullAttachment() throws {
        guard let upstream, let bytes = try upstream.perform(storeID, { try $0.attachment() }) else { return }
        if try attachment() != bytes {
            try Self.store(attachment: bytes, directory: directory, fileSystem: fileSystem)
        }
    }

    /// Whether the log has this very record, as far as can be told: nil if neither it nor another one in its place is
    /// there. To be called with the writer's lock held, and nothing queued; asks the shared log, and throws `overtaken`
    /// if that had more.
    ///
    /// - Parameter isPatient: asks it although it was found away.
    public func holds(
        _ link: ChainValue, at sequence: SequenceNumber, isPatient: Bool = false
    ) throws -> Bool? {
        let head = head
        if let upstream, sequence > head {
            try upstream.perform(storeID, isPatient: isPatient) { try bring(from: $0) }
            if self.head > head { throw overtaken(upstream) }
        }
        return try self.link(at: sequence).map { $0 == link }
    }

    /// To be called with the writer's lock held.
    func append(
        _ body: LogRecord.Body, _ header: TransactionHeader, to upstream: Upstream
    ) throws -> SequenceNumber {
        let run = try encoder.run([(body, header)], after: known)
        let outcome: AppendOutcome
        do {
            outcome = try upstream.perform(storeID, isPatient: false) { shared in
                let named = body.externalReferences
                try shared.bring(named, from: self)
                let outcome = try shared.append(run)
                // Somebody may have removed, as left over, what nothing named before.
                if outcome == .appended { try shared.bring(named, from: self) }
                return outcome
            }
        } catch var error as LogError where error.code == .outcomeUnknown {
            error.refer(to: run.end)
            throw error
        }
        if case .conflict(let end) = outcome {
            upstream.note(end.sequence)
            try upstream.perform(storeID) { try bringOrRefuse(from: $0, through: end.sequence) }
            throw overtaken(upstream)
        }
        upstream.note(run.end.sequence)
        do throws(LogError) {
            for frame in run.frames { try append(frame, of: run) }
        } catch {
            throw notKept(run, error)
        }
        return run.end.sequence
    }

    func overtaken(_ upstream: Upstream) -> LogError {
        LogError(.overtaken, "Another machine saved first; save again.", path: upstream.place)
    }

    /// Where it ends, as far as is known here.
    var known: LogCheckpoint {
        monitor.locked { LogCheckpoint(storeID: storeID, sequence: tail.head, date: tail.date, link: tail.link) }
    }

    /// As `bring`, after the shared log said that it does not end where this one ends. Throws `diverged` if it has
    /// nothing to bring because it lacks what is here: trying again would never end.
    func bringOrRefuse(from log: any ChangeLog, through last: SequenceNumber) throws {
        let start = known
        try bring(from: log, through: last)
        if known.link == start.link, let divergence = try divergence(from: log) { throw divergence }
    }

    /// Appends what the shared log has after this one's end. To be called with the writer's lock held.
    ///
    /// - Parameter last: where to stop asking for more.
    func bring(from log: any ChangeLog, through last: SequenceNumber = SequenceNumber(.max)) throws {
        try explainingDivergence(from: log) { try bringFrames(from: log, through: last) }
    }

    private func bringFrames(from log: any ChangeLog, through last: SequenceNumber) throws {
        while known.sequence < last {
            let run: FrameRun
            do { run = try log.frames(after: known, sizeMax: Self.pieceSize) } catch let error as LogError
                where error.code == .missing
            {
                guard try head < log.beginning().sequence else { throw error }
                try beginAnew(from: log)
                continue
            }
            if run.isEmpty { return }
            try bring(log.externalReferences(in: run), from: log)
            for frame in run.frames {
                try note(frame, of: run)
                try append(frame, of: run)
            }
            upstream?.note(run.end.sequence)
        }
    }

    /// Throws if this is a copy, whose shared log decides about such a thing.
    func refuseCopy(_ what: String) throws(LogError) {
        guard let place = upstream?.place ?? sharedPlace else { return }
        throw LogError(
            .readOnly,
            "This is this machine's copy of the log at \(place), and cannot be \(what) here; pull the log into a store "
                + "of its own first.", path: directory)
    }

    /// Throws if this copy was opened as a store of its own: what is appended here alone would never come to be there.
    func refuseLonelyCopy() throws(LogError) {
        guard upstream == nil, let sharedPlace else { return }
        throw LogError(
            .readOnly,
            "This is this machine's copy of the log at \(sharedPlace); open the store at that address to write to it.",
            path: directory)
    }

    /// Where the log is that the one in the folder is a copy of; nil if it is none.
    static func sharedPlace(of directory: String, _ fileSystem: any FileSystem) throws(LogError) -> String? {
        let path = directory + "/" + Format.upstreamName
        return try attempt { () throws(FileError) in
            guard try fileSystem.kind(of: path) != nil else { return nil }
            return String(decoding: try fileSystem.contents(of: path), as: UTF8.self)
        }
    }

    /// Says in the folder that its log is a copy.
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
