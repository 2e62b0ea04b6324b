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
        return known
    }

    /// Where it ends, as far as is known here.
    var known: LogCheckpoint {
        stateLock.withLock { LogCheckpoint(storeID: storeID, sequence: tail.head, date: tail.date, link: tail.link) }
    }

    public func beginning() throws -> LogCheckpoint {
        try refreshBeginning()
        let last = baseline
        if last == .zero { return .beginning(of: storeID) }
        let header = try openBaseline(last).header
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
        let maintenance = LogMaintenance(self)
        let count = try maintenance.erase(erasure, header: header)
        try maintenance.finishErasure()
        return count
    }

    public func trim(
        through last: SequenceNumber, knowing known: SequenceNumber,
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws { try LogMaintenance(self).trim(through: last, knowing: known, state: state) }

    public func watch() throws -> any LogWatch { try LogWatcher(self) }

    public func baseline(of last: SequenceNumber, from offset: Int64, sizeMax: Int) throws -> [UInt8] {
        let segment = try openBaseline(last)
        var bytes = [UInt8](repeating: 0, count: sizeMax)
        let count = try bytes.withMutableBytes { target throws(LogError) in
            try attempt { () throws(FileError) in try segment.file.read(into: target, at: offset) }
        }
        return Array(bytes[..<count])
    }
}
