extension SegmentLog {
    /// Cuts all records up to `last` off. A baseline stands in for them: `state` writes its parts, which must be the
    /// state after `last`. The models are added here.
    ///
    /// The baseline is written without the writer's lock, so that saves go on; only the switch holds it. Whenever
    /// this is interrupted, the log is whole, before or after:
    ///
    ///     write baseline.tmp, sync it           counts for nothing yet
    ///     roll, if `last` is in the last segment, so that nobody appends to what is cut
    ///     rename it to n.baseline               active if segment n + 1 exists
    ///     make segment n + 1, if `last` is inside of one, from the frames that stay: active now
    ///     remove earlier files                  the next writer does so after a crash
    ///
    /// Throws `locked` if somebody else trims. A `last` that was cut off before changes nothing.
    public func trim(
        through last: SequenceNumber, state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws { try trim(through: last, knowing: SequenceNumber(.max), state: state) }

    /// As `trim(through:state:)`, with a state that knows of erasures up to the record `known`: throws `overtaken` if
    /// there are later ones.
    public func trim(
        through last: SequenceNumber, knowing known: SequenceNumber,
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        // A copy keeps as much as its machine wants to.
        if upstream == nil { try refuseCopy("trimmed") }
        try withTrimLock {
            // Another writer's records are there to be cut off too.
            try refresh()
            try refreshBeginning()
            let old = baseline
            if last <= old { return }
            try refuseErasures(after: known)
            try writeBaseline(last, after: old, state)
            try exclusively {
                try attempt { () throws(FileError) in
                    let unfinished = directory + "/" + Format.unfinishedBaselineName
                    try fileSystem.rename(unfinished, to: directory + "/" + Format.baselineName(last))
                    try fileSystem.syncDirectory(directory)
                }
                try activate(last)
            }
        }
    }

    private func refuseErasures(after known: SequenceNumber) throws {
        if known >= head { return }
        let reader = try records(after: max(known, baseline))
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .erasure { throw LogError.erasedMeanwhile(directory) }
        }
    }

    /// Runs `body` while nobody else trims or erases.
    ///
    /// - Parameter waiting: whether to wait for a trim or an erasure that is running; otherwise this throws `locked`.
    ///   Do not wait with the writer's lock, which they need.
    func withTrimLock<R>(waiting: Bool = false, _ body: () throws -> R) throws -> R {
        let path = directory + "/" + Format.trimLockName
        let lock = try attempt { () throws(FileError) in try fileSystem.lock(path) }
        guard try attempt({ () throws(FileError) in try lock.acquire(waiting: waiting) }) else {
            throw LogError(.locked, "Somebody else trims this log, or erases; try again later.", path: path)
        }
        defer { lock.release() }
        try stateLock.withLock { try checkWritable() }
        return try body()
    }

    private func writeBaseline(
        _ last: SequenceNumber, after old: SequenceNumber,
        _ state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        let info = try frame(at: last)
        var models: [(SequenceNumber, LogModel)] = []
        if old > .zero { models = try baselineModels() }
        let reader = try records(after: old)
        while reader.position < last, let frame = try reader.nextFrameInfo() {
            if frame.kind == .model { models.append((frame.sequence, try model(at: frame.sequence))) }
        }
        let header = SegmentHeader(
            storeID: storeID, firstSequence: last.next, modelSequence: models.last?.0 ?? .zero,
            creationDate: SystemClock.now(), previousDate: info.date, chain: info.link)
        let unfinished = directory + "/" + Format.unfinishedBaselineName
        let file = try attempt { () throws(FileError) in
            if try fileSystem.kind(of: unfinished) != nil { try fileSystem.remove(unfinished) }
            return try fileSystem.open(unfinished, .create)
        }
        do {
            let writer = try attempt { () throws(FileError) in
                try BaselineWriter(file, header: header, level: options.compressionLevel)
            }
            for (sequence, model) in models { try writer.write(.model(sequence, model)) }
            try state { try writer.write($0) }
            try writer.finish()
        } catch {
            try? fileSystem.remove(unfinished)
            throw error
        }
    }

    /// Makes the baseline of `last` active. Call with the writer's lock held.
    func activate(_ last: SequenceNumber) throws(LogError) {
        try rollAt(last)
        let contents = try LogContents(of: directory, fileSystem)
        if contents.baseline != last { try makeFirstSegment(after: last) }
        removeLeftovers()
        try refreshBeginning()
        lookupMutex.withLock { lookups = [] }
    }

    /// Rolls if necessary, so that no writer will append to the segment that has `last`.
    ///
    /// - Parameter dropped: dictionaries that nobody may use any more.
    func rollAt(_ last: SequenceNumber, without dropped: Set<DictionaryID> = []) throws(LogError) {
        stateLock.lock()
        defer { stateLock.unlock() }
        let dictionary = tail.segment.dictionary
        let isDropped = dictionary.map { dropped.contains($0.id) } ?? false
        if last >= tail.segment.firstSequence || isDropped {
            try roll(for: 0, dictionary: isDropped ? nil : dictionary)
        }
    }

    /// Makes the segment that begins after `last` from the frames of the one that holds both.
    private func makeFirstSegment(after last: SequenceNumber) throws(LogError) {
        let cursor = try cursor(at: last.next)
        // Of the same store, begins with the same record, chained to the same one.
        var header = try Segment.openBaseline(
            last, in: directory, storeID: storeID, fileSystem: fileSystem
        ).header
        header.dictionary = cursor.segment.header.dictionary
        try attempt { () throws(FileError) in
            let source = cursor.segment.file
            let end = try source.size()
            _ = try Segment.create(
                header, in: directory, size: Int64(Format.segmentHeaderSize) + end - cursor.offset,
                fileSystem: fileSystem, dictionary: cursor.segment.dictionary
            ) { file throws(FileError) in
                try Self.copy(source, from: cursor.offset, to: file, at: Int64(Format.segmentHeaderSize))
            }
        }
    }

    private static let copySize = 1 << 20

    private static func copy(
        _ source: any File, from start: Int64, to target: any File, at place: Int64
    ) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: copySize)
        var done: Int64 = 0
        while true {
            let count = try buffer.withMutableBytes { bytes throws(FileError) in
                try source.read(into: bytes, at: start + done)
            }
            if count == 0 { return }
            try buffer.withBytes { bytes throws(FileError) in
                try target.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]).bytes, at: place + done)
            }
            done += Int64(count)
        }
    }
}

extension SegmentLog {
    /// Removes the files of values that no record and no baseline names any more. Returns how many there were.
    ///
    /// The records are read without the writer's lock; it is held for those that came meanwhile, and for removing.
    /// O(records), if there are any files.
    @discardableResult
    public func collectExternalValues() throws -> Int {
        let values = externalValues
        var unnamed = Set(try values.names())
        if unnamed.isEmpty { return 0 }
        var reader = try replay()
        func read() throws {
            while let record = try reader.next() {
                record.body.forEachExternalReference { unnamed.remove($0.fileName) }
            }
        }
        try read()
        return try exclusively {
            reader = try replay(after: reader.position)
            try read()
            if !unnamed.isEmpty { try values.remove(unnamed) }
            return unnamed.count
        }
    }
}
