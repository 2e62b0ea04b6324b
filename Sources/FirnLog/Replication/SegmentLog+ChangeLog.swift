extension LogWatcher: LogWatch {}

extension SegmentLog: ChangeLog {
    public var place: String { directory }
    public var formatVersion: Int { Int(Format.version) }

    public func acknowledgement() -> Acknowledgement {
        switch options.durability {
        case .synced:
            Acknowledgement(diskCount: 1, description: "on this machine's disk")
        case .bounded(let delay):
            Acknowledgement(
                diskCount: 0, description: "in this machine's memory, on its disk within \(delay) microseconds")
        case .system:
            Acknowledgement(
                diskCount: 0, description: "in this machine's memory, on its disk when the system decides")
        }
    }

    public func end() throws -> LogCheckpoint {
        try refresh()
        return knownEnd
    }

    private var knownEnd: LogCheckpoint {
        stateLock.withLock {
            LogCheckpoint(storeID: storeID, sequence: tail.head, date: tail.date, link: tail.link)
        }
    }

    public func beginning() throws -> LogCheckpoint {
        try refreshBeginning()
        let last = baseline
        if last == .zero { return .beginning(of: storeID) }
        let header = try Segment.openBaseline(
            last, in: directory, storeID: storeID, fileSystem: fileSystem
        ).header
        return LogCheckpoint(
            storeID: storeID, sequence: last, date: header.previousDate, link: header.chain)
    }

    /// A run ends with its segment, so that all of it is one piece of one file.
    public func frames(after place: LogCheckpoint, sizeMax: Int) throws -> FrameRun {
        guard place.storeID == storeID else {
            throw LogError.otherStore(directory, expected: place.storeID, found: storeID)
        }
        let end = try end()
        guard place.sequence < end.sequence else {
            guard place.sequence == end.sequence, place.link == end.link else {
                throw LogError.diverged(directory, at: place, found: "record \(end.sequence), \(end.link)")
            }
            return FrameRun(after: place, frames: [], bytes: [])
        }
        try refreshBeginning()
        var cursor = try cursor(at: place.sequence.next)
        guard cursor.link == place.link else {
            throw LogError.diverged(directory, at: place, found: "\(cursor.link)")
        }
        let start = cursor.offset
        var frames: [FrameRun.Frame] = []
        while cursor.sequence <= end.sequence, cursor.offset - start < Int64(sizeMax) {
            guard case .frame(let frame) = try cursor.next() else { break }
            let range = Int(frame.offset - start)..<Int(frame.end - start)
            frames.append(FrameRun.Frame(header: frame.header, link: frame.link, range: range))
        }
        var bytes = [UInt8](repeating: 0, count: Int(cursor.offset - start))
        let count = try bytes.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in try cursor.segment.file.read(into: target, at: start) }
        }
        guard !frames.isEmpty, count == bytes.count else {
            throw LogError(
                .damaged, "A record is gone.", path: cursor.segment.path, offset: cursor.offset,
                sequence: cursor.sequence, expected: "record \(cursor.sequence)", found: "nothing")
        }
        return FrameRun(after: place, frames: frames, bytes: bytes, dictionary: cursor.segment.dictionary)
    }

    public func erase(_ erasure: Erasure, header: TransactionHeader, lookingIn copy: SegmentLog) throws -> Int {
        let count = try erase(erasure, header: header)
        try finishErasure()
        return count
    }

    public func watch() throws -> any LogWatch { try LogWatcher(self) }

    public func baseline(of last: SequenceNumber, from offset: Int64, sizeMax: Int) throws -> [UInt8] {
        let segment = try Segment.openBaseline(
            last, in: directory, storeID: storeID, fileSystem: fileSystem)
        var bytes = [UInt8](repeating: 0, count: sizeMax)
        let count = try bytes.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in try segment.file.read(into: target, at: offset) }
        }
        return Array(bytes[..<count])
    }
}

extension SegmentLog {
    /// Something that waits for records of other machines; nil for a log that is no copy. Its server is asked by the
    /// watch from now on: after a failure nobody else tries until the server answered the watch.
    public func watchUpstream() throws -> (any LogWatch)? {
        guard let upstream else { return nil }
        upstream.beginWatching()
        let watch = try upstream.perform(storeID, asksServer: false) { try $0.watch() }
        upstream.watch(with: watch as? any ServerWatch)
        return watch
    }

    /// Blocks until the shared log has to be asked: it has records that are not here, lacks some that are, or answers
    /// again. False if the watch was cancelled.
    public func wait(with watch: any LogWatch) throws -> Bool {
        guard let upstream, let watch = watch as? any ServerWatch else { return try watch.wait { !expects($0) } }
        do {
            return try watch.wait { observation in
                switch observation {
                case .notified(let sequence): return !expects(sequence)
                case .end(let end):
                    upstream.recordEnd(end)
                    return !expects(end.sequence) || lacks(end) || upstream.isUnreachable
                case .failure(let error):
                    upstream.recordProblem(error)
                    return false
                }
            }
        } catch let error as LogError {
            upstream.recordProblem(error)
            throw error
        }
    }

    /// Whether a log that ends there lacks records of this one. An end that was seen a moment ago may be an old one.
    private func lacks(_ end: LogCheckpoint) -> Bool {
        let known = known
        return end.sequence < known.sequence || end.sequence == known.sequence && end.link != known.link
    }
}
