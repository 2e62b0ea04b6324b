extension LogMaintenance {
    /// The erasure that was begun and not finished; nil if there is none.
    public var pendingErasure: Erasure? {
        get throws {
            let path = log.directory + "/" + Format.pendingErasureName
            let bytes = try attempt { () throws(FileError) in
                try log.fileSystem.kind(of: path) == nil ? nil : try log.fileSystem.contents(of: path)
            }
            guard let bytes else { return nil }
            guard let erasure = PendingErasure.decode(bytes) else {
                throw LogError(
                    .damaged, "What was to be erased cannot be read; delete the file, and erase it again.", path: path)
            }
            return erasure
        }
    }

    /// Takes values out of every record and of the baseline. The chain holds, and so does every checkpoint that was
    /// signed. Of an object that is there, the last value of each property stays: save without the values first.
    ///
    /// If this is interrupted, the log is valid, and `pendingErasure` is what to call this with again. It stays so
    /// until `finishErasure`.
    ///
    ///     sync                                   what is to be erased names the record of a model
    ///     remove files that are not active       a killed trim's baseline, which nobody may make active now
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
    /// All dictionaries are removed too: the payloads that are compressed with them are replaced like those that have
    /// the value.
    ///
    /// Another erasure that was interrupted is completed first.
    ///
    /// Throws `locked` if somebody else trims or erases.
    /// - Returns: how many records had such a value.
    @discardableResult
    public func erase(_ erasure: Erasure, header: TransactionHeader) throws -> Int {
        if let place = log.sharedPlace {
            throw LogError(
                .readOnly,
                "This is this machine's copy of the log at \(place), and cannot be erased from here; pull the log into "
                    + "a store of its own first.", path: log.directory)
        }
        var erasure = erasure
        erasure.replaced = []
        return try log.withTrimLock {
            // There is one file that says what is being erased.
            if let begun = try pendingErasure, begun != erasure { _ = try eraseAlone(begun, header) }
            return try eraseAlone(erasure, header)
        }
    }

    private func eraseAlone(_ erasure: Erasure, _ header: TransactionHeader) throws -> Int {
        // What is to be erased names a record, which must not be lost while it is remembered.
        try log.sync(through: try log.refresh())
        // A baseline that a killed trim left becomes active with the segment after its record, values and all.
        try log.exclusively { try log.removeLeftovers() }
        try log.refreshBeginning()
        try attempt { () throws(FileError) in
            let path = log.directory + "/" + Format.pendingErasureName
            try log.fileSystem.replaceFile(path, in: log.directory, with: PendingErasure.encode(erasure))
        }
        var eraser = LogEraser(log, erasure)
        try eraser.search()
        let count = eraser.replacements.count
        try eraseReasons(of: eraser.replacements.keys)
        try log.exclusively {
            try eraser.dropDictionaries()
            guard let last = eraser.replacements.keys.max() ?? (eraser.droppedDictionaries.isEmpty ? nil : .zero)
            else { return }
            try log.sync(through: try log.append(.erasure(eraser.record), header: header))
            try log.rollAt(last, without: eraser.droppedDictionaries)
        }
        try eraser.rewriteSegments()
        try eraser.rewriteBaseline()
        try log.exclusively {
            try log.sync(through: try log.append(.erasure(erasure), header: header))
            try log.removeLeftovers()
            try removeUnfinished()
        }
        log.invalidateLookups()
        return count
    }

    /// Removes the unfinished files of programs that were killed: of a trim, a roll, a packing, the place of a
    /// subscription. They contain erased values. Call with both locks held, so that nobody writes to them.
    func removeUnfinished() throws(LogError) {
        try attempt { () throws(FileError) in
            for name in try log.fileSystem.list(log.directory) where name.hasSuffix(Format.unfinishedSuffix) {
                // The place of a subscription is stored without a lock.
                do throws(FileError) { try log.fileSystem.remove(log.directory + "/" + name) } catch {
                    if error.reason != .missing { throw error }
                }
            }
            try log.fileSystem.syncDirectory(log.directory)
        }
    }

    /// To be called once nothing that was made from the log has the values any more.
    ///
    /// - Parameter known: of a copy of a shared log, the record up to which it has followed erasures. A later one has
    ///   to be followed yet.
    public func finishErasure(knownThrough known: SequenceNumber) throws {
        try log.exclusively {
            if try !log.hasErasure(after: known) { try finishErasure() }
        }
    }

    /// To be called once nothing that was made from the log has the values any more.
    public func finishErasure() throws {
        let path = log.directory + "/" + Format.pendingErasureName
        guard try attempt({ () throws(FileError) in try log.fileSystem.kind(of: path) }) != nil else { return }
        try attempt { () throws(FileError) in
            try log.fileSystem.remove(path)
            try log.fileSystem.syncDirectory(log.directory)
        }
    }

    /// Why a reader could not take a record may say what is in it.
    private func eraseReasons(of sequences: some Collection<SequenceNumber>) throws {
        let sequences = Set(sequences)
        for var subscription in try log.subscriptions() {
            let places = subscription.deadLetters.indices.filter {
                sequences.contains(subscription.deadLetters[$0].sequence)
            }
            if places.isEmpty { continue }
            for place in places { subscription.deadLetters[place].reason = Self.erasedReason }
            try log.store(subscription)
        }
    }

    private static let erasedReason = "erased"
}
