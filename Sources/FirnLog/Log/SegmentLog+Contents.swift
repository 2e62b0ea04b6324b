import Synchronization

extension SegmentLog {
    /// Looks at the folder again: another process may have cut off the beginning. `baseline` and `first` are right
    /// then.
    public func refreshBeginning() throws(LogError) {
        while true {
            let known = stateLock.withLock { contents }
            var found = try LogContents(of: directory, fileSystem)
            stateLock.lock()
            defer { stateLock.unlock() }
            // Meanwhile this process may have begun a segment, or cut off the beginning.
            guard contents == known else { continue }
            guard let first = found.starts.first else { return }
            found.starts = found.starts.filter { $0 <= tail.segment.firstSequence }
            if found.starts.isEmpty { found.starts = [first] }
            contents = found
            return
        }
    }

    /// Removes files that are not active. Call with the writer's lock held. A file that cannot be removed stays for the
    /// next call.
    func removeLeftovers() throws(LogError) {
        let contents = try LogContents(of: directory, fileSystem)
        let names = contents.leftovers + (try unusedDictionaries(contents))
        if names.isEmpty { return }
        try attempt { () throws(FileError) in
            // What is active now may owe that to a name that a killed program did not make durable.
            try fileSystem.syncDirectory(directory)
            for name in names { try fileSystem.remove(directory + "/" + name) }
            try fileSystem.syncDirectory(directory)
        }
    }

    /// Runs `body` while nobody else trims or erases.
    ///
    /// - Parameter waiting: whether to wait for a trim or an erasure that is running; otherwise this throws `locked`.
    ///   Do not wait with the writer's lock, which they need.
    func withTrimLock<R>(waiting: Bool = false, _ body: () throws -> R) throws -> R {
        try withLock(Format.trimLockName, waiting, "Somebody else trims this log, or erases; try again later.") {
            try withPackLock(waiting: true) {
                try stateLock.withLock { try checkWritable() }
                return try body()
            }
        }
    }

    /// Runs `body` while nobody else packs a segment, which takes a second at most.
    func withPackLock<R>(waiting: Bool, _ body: () throws -> R) throws -> R {
        try withLock(
            Format.packLockName, waiting, "Somebody else compresses this log's segments; try again later.", body)
    }

    private func withLock<R>(
        _ name: String, _ isWaiting: Bool, _ refusal: String, _ body: () throws -> R
    ) throws -> R {
        let path = directory + "/" + name
        let lock = try attempt { () throws(FileError) in try fileSystem.lock(path) }
        guard try attempt({ () throws(FileError) in try lock.acquire(waiting: isWaiting) }) else {
            throw LogError(.locked, refusal, path: path)
        }
        defer { lock.release() }
        return try body()
    }

    /// Makes the baseline of `last` active. Call with the writer's lock held.
    func activate(_ last: SequenceNumber) throws(LogError) {
        try rollAt(last)
        let contents = try LogContents(of: directory, fileSystem)
        if contents.baseline != last { try makeFirstSegment(after: last) }
        try? removeLeftovers()
        try refreshBeginning()
        lookup.removeAll()
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
        var header = try openBaseline(last).header
        header.dictionary = cursor.segment.header.dictionary
        try attempt { () throws(FileError) in
            let source = cursor.segment.file
            let end = try source.size()
            _ = try Segment.create(
                header, in: directory, size: Int64(Format.segmentHeaderSize) + end - cursor.offset,
                fileSystem: fileSystem, dictionary: cursor.segment.dictionary
            ) { file throws(FileError) in
                let frames = FilePayload(file: source, offset: cursor.offset, size: Int(end - cursor.offset))
                _ = try frames.copy(to: file, at: Int64(Format.segmentHeaderSize))
            }
        }
    }

    /// Records that were read may be others by now.
    func invalidateLookups() {
        lookup.removeAll()
        stateLock.withLock { acceptErasure() }
    }

    /// Drops what was read of records before an erasure that was met. Call with `stateLock` held.
    func acceptErasure() {
        erasureCount.add(1, ordering: .relaxed)
        models = [:]
    }

    /// Continues in a segment that names the dictionary. To be called with `stateLock` and the writer's lock held.
    func roll(to dictionary: CompressionDictionary) throws(LogError) {
        let path = directory + "/" + Format.dictionaryName(dictionary.id)
        try attempt { () throws(FileError) in
            try fileSystem.replaceFile(path, in: directory, with: dictionary.bytes)
        }
        try roll(for: 0, dictionary: dictionary)
    }

    /// The files of dictionaries that no active segment names. Call with the writer's lock held.
    private func unusedDictionaries(_ contents: LogContents) throws(LogError) -> [String] {
        if contents.dictionaries.isEmpty { return [] }
        var named: Set<String> = []
        for start in contents.starts {
            let path = directory + "/" + Format.segmentName(start)
            let file = try attempt { () throws(FileError) in try fileSystem.open(path, .read) }
            let header = try SegmentHeader(reading: file, path: path)
            if let id = header.dictionary { named.insert(Format.dictionaryName(id)) }
        }
        return contents.dictionaries.filter { !named.contains($0) }
    }
}
