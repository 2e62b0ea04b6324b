import Synchronization

extension SegmentLog {
    /// The reason why the search for more frames ended.
    enum TailEnd {
        case clean
        case invalid(LogError)
    }

    /// Looks for records that others appended; returns the last one.
    ///
    /// A record that is being written is not seen before all of it is there.
    @discardableResult
    public func refresh() throws -> SequenceNumber {
        try stateLock.withLock {
            try checkOpen()
            // While this log writes, nobody else does, and what they wrote before is known.
            if !isAppending { _ = try advance() }
            return tail.head
        }
    }

    /// Moves the tail over all valid frames. To be called with `stateLock` held.
    func advance() throws(LogError) -> TailEnd {
        try reopenEmptyTail()
        while true {
            // Most of the time nobody else has written: 32 bytes tell.
            if try isUnused(at: tail.offset) { return .clean }
            var cursor = tail.cursor
            search: while true {
                switch try cursor.next() {
                case .frame(let frame):
                    tail.accept(frame.header, link: frame.link)
                    if frame.header.kind == .erasure { acceptErasure() }
                    durable = max(durable, min(frame.header.durableThrough, tail.head))
                case .nothing:
                    // Zeros end the last segment, so that no other one has to be looked for.
                    if try isUnused(at: tail.offset) { return .clean }
                    if try !openNext() { return .clean }
                    break search
                case .invalid(let error):
                    if try nextExists() { throw error }
                    return .invalid(error)
                }
            }
        }
    }

    /// A segment without a record may have been made again under its name, with another dictionary, and once more by an
    /// erasure that dropped the dictionary: its creation date shows that.
    private func reopenEmptyTail() throws(LogError) {
        guard tail.head < tail.segment.firstSequence else { return }
        let segment: Segment
        do throws(LogError) {
            segment = try openSegment(tail.segment.firstSequence, forWriting: isWritable)
        } catch {
            // It was cut off: `jump` finds what comes after it.
            if error.code == .missing { return }
            throw error
        }
        guard segment.header != tail.segment.header else { return }
        try makeNamesDurable()
        let size = try attempt { () throws(FileError) in try segment.file.size() }
        tail = LogTail(segment, capacity: size)
    }

    /// Moves the tail over frames of the last segment that were checked before, from header to header. The link of the
    /// last one is taken as it stands: the frame after it has to fit. Stays where it is if something is not as it was.
    private func step(through checked: SequenceNumber) throws(LogError) {
        var moved = tail
        let window = FrameWindow(tail.segment.file)
        while moved.head < checked {
            let bytes = try window.bytes(at: moved.offset, count: Format.frameHeaderSize)
            guard bytes.count == Format.frameHeaderSize,
                let header = FrameHeader(bytes, seed: tail.segment.seed), header.sequence == moved.head.next
            else { return }
            moved.accept(header, link: .zero)
        }
        guard moved.head > tail.head else { return }
        let link = try window.bytes(at: moved.offset - Int64(Format.linkSize), count: Format.linkSize)
        guard link.count == Format.linkSize else { return }
        moved.link = ChainValue(bytes: link)
        tail = moved
    }

    private func isUnused(at offset: Int64) throws(LogError) -> Bool {
        let file = tail.segment.file
        // Read before every fetch, so it is no array. A segment that is followed by another one was cut at its end:
        // zeros are never followed.
        var header = SIMD4<UInt64>()
        let count = try attempt { () throws(FileError) in
            try withUnsafeMutableBytes(of: &header) { target throws(FileError) in
                try file.read(into: target, at: offset)
            }
        }
        return count == Format.frameHeaderSize && header == SIMD4()
    }

    func nextExists() throws(LogError) -> Bool {
        let next = tail.head.next
        // A segment without frames is its own successor by name.
        if tail.segment.firstSequence == next { return false }
        let path = directory + "/" + Format.segmentName(next)
        return try attempt { () throws(FileError) in try fileSystem.kind(of: path) } != nil
    }

    /// Moves the tail to the segment of the next record, if there is one.
    private func openNext() throws(LogError) -> Bool {
        guard try nextExists() else { return try jump() }
        let next = try openSegment(tail.head.next, forWriting: isWritable)
        guard next.header.chain == tail.link else {
            throw LogError(
                .damaged, "The segment is not chained to the one before it.", path: next.path,
                offset: Int64(Format.SegmentOffset.chain), sequence: next.firstSequence,
                expected: "\(tail.link)", found: "\(next.header.chain)")
        }
        try makeNamesDurable()
        let size = try attempt { () throws(FileError) in try next.file.size() }
        tail = LogTail(next, capacity: size)
        contents.starts.append(next.firstSequence)
        durable = max(durable, tail.head)
        return true
    }

    /// Continues behind what another process cut off, if that is why the next segment is missing.
    ///
    /// Only a segment that is followed has no room at its end, so the folder is rarely looked at in vain.
    private func jump() throws(LogError) -> Bool {
        let file = tail.segment.file
        guard try attempt({ () throws(FileError) in try file.size() }) <= tail.offset else { return false }
        let found = try LogContents(of: directory, fileSystem)
        guard found.baseline > tail.head, let start = found.starts.first else { return false }
        let next = try openSegment(start, forWriting: isWritable)
        try makeNamesDurable()
        let size = try attempt { () throws(FileError) in try next.file.size() }
        tail = LogTail(next, capacity: size)
        (contents.starts, contents.baseline) = ([start], found.baseline)
        // What nobody read here may have been an erasure.
        acceptErasure()
        durable = max(durable, tail.head)
        return true
    }

    /// Makes a segment's name durable before a writer appends to one that it did not create: the process that did may
    /// have failed between renaming the file and syncing the folder. Without its name a synced segment is lost.
    private func makeNamesDurable() throws(LogError) {
        guard isWritable else { return }
        try attempt { () throws(FileError) in try fileSystem.syncDirectory(directory) }
    }

    /// Finds the end of a log that is opened for reading.
    func look(atLeast: SequenceNumber, checked: SequenceNumber) throws(LogError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try step(through: checked)
        var end = try advance()
        while true {
            let head = tail.head
            damage = damage(after: end, try inspectTail(), atLeast: atLeast)
            // What looks like damage may be a write that was in progress.
            if damage == nil { break }
            end = try advance()
            if tail.head == head { break }
        }
        if tail.head < atLeast, let damage { throw damage }
    }

    /// Makes the end of a log that is opened for writing valid.
    func recover(atLeast: SequenceNumber, checked: SequenceNumber) throws(LogError) {
        try writerLock.acquire(directory, timeout: options.lockTimeout)
        defer { writerLock.release() }
        stateLock.lock()
        defer { stateLock.unlock() }
        try step(through: checked)
        let end = try advance()
        if tail.segment.file is PackedFile {
            throw LogError(
                .damaged, "Only a sealed segment is compressed, and the one that follows it is gone; restore it from a "
                    + "backup.", path: tail.segment.path, sequence: tail.head.next,
                expected: Format.segmentName(tail.head.next), found: "no such file")
        }
        let inspection = try inspectTail()
        if let damage = damage(after: end, inspection, atLeast: atLeast) { throw damage }
        if inspection.usedEnd != nil { try cutTail() }
        try attempt { () throws(FileError) in try tail.segment.file.sync() }
        try makeNamesDurable()
        durable = tail.head
        try? removeLeftovers()
    }

    /// With the writer's lock: catches up with other writers, and removes what one of them left half written.
    func catchUp() throws(LogError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        let end = try advance()
        guard case .invalid = end else { return }
        if let damage = damage(after: end, try inspectTail(), atLeast: .zero) { throw damage }
        do throws(LogError) { try cutTail() } catch { throw poisoned(by: error) }
    }

    private func inspectTail() throws(LogError) -> TailInspection {
        try TailInspection(tail.segment, from: tail.offset, missing: tail.head.next)
    }

    /// The reason why what follows the last valid frame is not just torn off; nil if it is, or if nothing follows.
    private func damage(
        after end: TailEnd, _ inspection: TailInspection, atLeast: SequenceNumber
    ) -> LogError? {
        let missing = tail.head.next
        let witness = inspection.witness
        if case .invalid(var error) = end, witness != nil || missing <= atLeast {
            if let witness {
                error.message += " Record \(witness.sequence) follows at byte \(witness.offset)."
            }
            error.message += " The record was durable; restore the file from a backup."
            return error
        }
        if witness != nil || missing <= atLeast {
            return LogError(
                .damaged, "The log ends before a record that was durable; restore it from a backup.",
                path: tail.segment.path, offset: tail.offset, sequence: missing,
                expected: "record \(witness?.sequence ?? atLeast)", found: "the end after \(tail.head)")
        }
        return nil
    }

    /// Removes everything after the last valid frame and takes the space again. To be called with `stateLock` and the
    /// writer's lock held. It may be interrupted anywhere and be done again.
    func cutTail() throws(LogError) {
        let file = tail.segment.file
        try attempt { () throws(FileError) in try file.truncate(tail.offset) }
        tail.capacity = tail.offset
        // Without space the segment stays as short as it is; the next append says so.
        let room = options.fileSize(for: tail.offset)
        if (try? file.allocate(room)) != nil { tail.capacity = max(tail.offset, room) }
        try attempt { () throws(FileError) in try file.sync() }
    }
}
