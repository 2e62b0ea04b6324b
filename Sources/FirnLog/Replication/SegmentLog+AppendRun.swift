import Synchronization

extension SegmentLog {
    /// When this throws, a first part of the run may be there, but is not acknowledged: the same run then gives a
    /// conflict, and the rest can be appended after `end()`.
    public func append(_ run: FrameRun) throws -> AppendOutcome {
        guard run.start.storeID == storeID else {
            throw LogError.otherStore(directory, expected: run.start.storeID, found: storeID)
        }
        let outcome = try exclusively {
            let known = known
            guard known.sequence == run.start.sequence, known.link == run.start.link else {
                return try holds(run) ? AppendOutcome.duplicate : .conflict(known)
            }
            for frame in run.frames {
                try recordPendingErasure(frame, of: run)
                try append(frame, of: run)
            }
            return .appended
        }
        if case .conflict = outcome { return outcome }
        try acknowledge(through: run.end.sequence)
        return outcome
    }

    /// Whether the log has these very frames: the last one's link stands for all of them.
    private func holds(_ run: FrameRun) throws -> Bool {
        guard let last = run.frames.last else { return false }
        return try link(at: last.sequence) == last.link
    }

    /// Stores that this copy has to follow an erasure, before that erasure's record is appended here.
    func recordPendingErasure(_ frame: FrameRun.Frame, of run: FrameRun) throws {
        guard isCopy, frame.kind == .erasure else { return }
        let record = try FrameDecoder().record(frame, of: run, place: directory)
        guard case .erasure(var erasure) = record.body else { return }
        erasure.replaced = []
        let path = directory + "/" + Format.pendingErasureName
        try attempt { () throws(FileError) in
            if try fileSystem.kind(of: path) == nil {
                try fileSystem.replaceFile(path, in: directory, with: PendingErasure.encode(erasure))
            }
        }
    }

    /// To be called with the writer's lock held.
    func append(_ frame: FrameRun.Frame, of run: FrameRun) throws(LogError) {
        var bytes = Array(run.bytes[frame.range])
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        if let dictionary = run.shared, tail.segment.dictionary?.id != dictionary.id { try roll(to: dictionary) }
        try reserveSpace(for: bytes.count)
        // What is durable here is known here only; the link does not depend on it.
        var header = frame.header
        header.unsynced = FrameHeader.unsynced(before: tail.head.next, durable: durable)
        bytes.withUnsafeMutableBytes { header.encode(to: $0, seed: tail.segment.seed) }
        try write(bytes)
        tail.accept(header, link: frame.link)
        if header.kind == .erasure { acceptErasure() }
    }

    /// To be called with `stateLock` and the writer's lock held.
    private func write(_ frame: [UInt8]) throws(LogError) {
        do throws(FileError) {
            try tail.segment.file.write(frame.span.bytes, at: tail.offset)
        } catch {
            throw failed(LogError(error))
        }
    }
}
