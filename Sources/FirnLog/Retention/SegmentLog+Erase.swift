import Synchronization

extension SegmentLog {
    /// The erasure that was begun and not finished; nil if there is none.
    public var pendingErasure: Erasure? {
        get throws {
            let path = directory + "/" + Format.pendingErasureName
            guard try attempt({ () throws(FileError) in try fileSystem.kind(of: path) }) != nil else { return nil }
            let bytes = try attempt { () throws(FileError) in
                let file = try fileSystem.open(path, .read)
                var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
                _ = try bytes.withMutableBytes { target throws(FileError) in try file.read(into: target, at: 0) }
                return bytes
            }
            guard let erasure = PendingErasure.decode(bytes) else {
                throw LogError(
                    .damaged, "What was to be erased cannot be read; delete the file, and erase it again.", path: path)
            }
            return erasure
        }
    }

    /// Takes values out of every record and of the baseline. The chain holds, and so does every checkpoint that was
    /// signed. What came since by a save is not touched: save without the values first.
    ///
    /// If this is interrupted, the log is valid, and `pendingErasure` is what to call this with again. It stays so
    /// until `finishErasure`.
    ///
    ///     sync                                   what is to be erased names the record of a model
    ///     store what is to be erased             from here on it is going to happen
    ///     look for the records                   without the writer's lock
    ///     erase why readers could not take them  what a subscription keeps of its dead letters
    ///     append an erasure that names them      with the digests of what will stand for them
    ///     roll, if one is in the last segment    so that nobody appends to what is replaced
    ///     rewrite each of their segments         as a new file, which is renamed to the old one's name
    ///     the same with the baseline
    ///     append an erasure that names none      a reader of it discards what it has of earlier records
    ///     remove what was left unfinished        by a trim that was killed, say
    ///
    /// A dictionary that may contain a piece of a value is removed too: the payloads that are compressed with it are
    /// replaced like those that have the value.
    ///
    /// Throws `locked` if somebody else trims or erases.
    /// - Returns: how many records had such a value.
    @discardableResult
    public func erase(_ erasure: Erasure, header: TransactionHeader) throws -> Int {
        try refuseCopy("erased from")
        return try withTrimLock { try eraseAlone(erasure, header) }
    }

    private func eraseAlone(_ erasure: Erasure, _ header: TransactionHeader) throws -> Int {
        // What is to be erased names a record, which must not be lost while it is remembered.
        try sync(through: try refresh())
        try refreshBeginning()
        var erasure = erasure
        erasure.replaced = []
        let isResumed = try attempt { () throws(FileError) in
            try fileSystem.kind(of: directory + "/" + Format.pendingErasureName) != nil
        }
        try replace(Format.pendingErasureName, with: PendingErasure.encode(erasure))
        var eraser = LogEraser(self, erasure)
        try eraser.search()
        let count = eraser.replacements.count
        try eraseReasons(of: eraser.replacements.keys)
        if isResumed || count > 0 {
            try exclusively {
                try eraser.searchDictionaries(all: isResumed)
                guard let last = eraser.replacements.keys.max() ?? (eraser.droppedDictionaries.isEmpty ? nil : .zero)
                else { return }
                try sync(through: try append(.erasure(eraser.record), header: header))
                try rollAt(last, without: eraser.droppedDictionaries)
            }
            try eraser.rewriteSegments()
        }
        try eraser.rewriteBaseline()
        try exclusively {
            try sync(through: try append(.erasure(erasure), header: header))
            removeLeftovers()
            try removeUnfinished()
        }
        invalidateLookups()
        return count
    }

    /// Removes unfinished files of a trim or a roll that was killed: they contain erased values. Call with both locks
    /// held, so that nobody writes to them.
    private func removeUnfinished() throws(LogError) {
        try attempt { () throws(FileError) in
            for name in [Format.unfinishedBaselineName, Format.unfinishedName, Format.unfinishedErasureName] {
                let path = directory + "/" + name
                if try fileSystem.kind(of: path) != nil { try fileSystem.remove(path) }
            }
            try fileSystem.syncDirectory(directory)
        }
    }

    /// To be called once nothing that was made from the log has the values any more.
    ///
    /// - Parameter known: of a copy of a shared log, the record up to which it has followed erasures. A later one has
    ///   to be followed yet.
    public func finishErasure(knownThrough known: SequenceNumber) throws {
        try exclusively {
            let reader = try records(after: max(known, baseline))
            while let frame = try reader.nextFrameInfo() {
                if frame.kind == .erasure { return }
            }
            try finishErasure()
        }
    }

    /// To be called once nothing that was made from the log has the values any more.
    public func finishErasure() throws {
        let path = directory + "/" + Format.pendingErasureName
        guard try attempt({ () throws(FileError) in try fileSystem.kind(of: path) }) != nil else { return }
        try attempt { () throws(FileError) in
            try fileSystem.remove(path)
            try fileSystem.syncDirectory(directory)
        }
    }

    /// Why a reader could not take a record may say what is in it.
    private func eraseReasons(of sequences: some Collection<SequenceNumber>) throws {
        let sequences = Set(sequences)
        for var subscription in try subscriptions() {
            let places = subscription.deadLetters.indices.filter {
                sequences.contains(subscription.deadLetters[$0].sequence)
            }
            if places.isEmpty { continue }
            for place in places { subscription.deadLetters[place].reason = Self.erasedReason }
            try store(subscription)
        }
    }

    private static let erasedReason = "erased"

    /// Puts a file into the folder in one step: after a crash there is the old one or this one.
    private func replace(_ name: String, with bytes: [UInt8]) throws(LogError) {
        try attempt { () throws(FileError) in
            let unfinished = directory + "/" + Format.unfinishedErasureName
            if try fileSystem.kind(of: unfinished) != nil { try fileSystem.remove(unfinished) }
            let file = try fileSystem.open(unfinished, .create)
            try file.write(bytes.span.bytes, at: 0)
            try file.sync()
            try fileSystem.rename(unfinished, to: directory + "/" + name)
            try fileSystem.syncDirectory(directory)
        }
    }

    /// Records that were read may be others by now.
    func invalidateLookups() {
        lookupMutex.withLock { lookups = [] }
        stateLock.withLock { acceptErasure() }
    }

    /// Drops what was read of records before an erasure that was met. Call with `stateLock` held.
    func acceptErasure() {
        erasureCount.add(1, ordering: .relaxed)
        models = [:]
    }
}
