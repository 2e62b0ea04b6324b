import Synchronization

/// The upkeep of a log: packing, trimming, erasing and verifying, while others save.
public final class LogMaintenance: Sendable {
    let log: SegmentLog
    /// The beginning of the last segment when packing was last asked for.
    let lastSealed = Mutex(SequenceNumber.zero)

    public init(_ log: SegmentLog) { self.log = log }

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
    ///
    /// - Parameter known: the last record of whose erasures `state` knows; throws `overtaken` if there are later ones.
    public func trim(
        through last: SequenceNumber, knowing known: SequenceNumber = SequenceNumber(.max),
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        // A copy keeps as much as its machine wants to.
        try log.refuseDetachedCopy()
        try log.withTrimLock {
            // Another writer's records are there to be cut off too.
            try log.refresh()
            try log.refreshBeginning()
            let old = log.baseline
            if last <= old { return }
            if known < log.head, try log.hasErasure(after: known) { throw LogError.erasedMeanwhile(log.directory) }
            try writeBaseline(last, after: old, state)
            try log.exclusively {
                do {
                    try attempt { () throws(FileError) in
                        let unfinished = log.directory + "/" + Format.unfinishedBaselineName
                        try log.fileSystem.rename(unfinished, to: log.directory + "/" + Format.baselineName(last))
                        try log.fileSystem.syncDirectory(log.directory)
                    }
                    try log.activate(last)
                } catch {
                    // A full disk gets the space of a baseline back that is not active.
                    try? log.removeLeftovers()
                    throw error
                }
            }
        }
    }

    private func writeBaseline(
        _ last: SequenceNumber, after old: SequenceNumber,
        _ state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        let info = try log.frame(at: last)
        var models: [(SequenceNumber, LogModel)] = []
        if old > .zero { models = try log.baselineModels() }
        let reader = try log.records(after: old)
        while reader.position < last, let frame = try reader.nextFrameInfo() {
            if frame.kind == .model { models.append((frame.sequence, try log.model(at: frame.sequence))) }
        }
        let header = SegmentHeader(
            storeID: log.storeID, firstSequence: last.next, modelSequence: models.last?.0 ?? .zero,
            creationDate: SystemClock.now(), previousDate: info.date, chain: info.link)
        let unfinished = log.directory + "/" + Format.unfinishedBaselineName
        let file = try attempt { () throws(FileError) in
            if try log.fileSystem.kind(of: unfinished) != nil { try log.fileSystem.remove(unfinished) }
            return try log.fileSystem.open(unfinished, .create)
        }
        do {
            let writer = try attempt { () throws(FileError) in
                try BaselineWriter(file, header: header, level: log.options.compressionLevel)
            }
            for (sequence, var model) in models {
                // The state has what is left of the rows that a migration wrote.
                model.migration?.rows = nil
                try writer.write(.model(sequence, model))
            }
            try state { try writer.write($0) }
            try writer.finish()
        } catch {
            try? log.fileSystem.remove(unfinished)
            throw error
        }
    }

    /// Removes the files of values that no record and no baseline names any more.
    ///
    /// The records are read without the writer's lock; it is held for those that came meanwhile, and for removing.
    /// O(records), if there are any values.
    ///
    /// - Parameter others: values that are kept elsewhere.
    /// - Returns: how many files there were, and those of the others that nothing names up to where the log ends.
    @discardableResult
    public func collectExternalValues(
        and others: [ExternalReference] = []
    ) throws -> (count: Int, others: [ExternalReference], end: LogCheckpoint) {
        let values = log.externalValues
        let names = Set(try values.names())
        var unnamed = names.union(others.map(\.fileName))
        if unnamed.isEmpty { return (0, [], log.known) }
        var reader = try log.replay()
        func read() throws {
            while let record = try reader.next() {
                record.body.forEachExternalReference { unnamed.remove($0.fileName) }
            }
        }
        try read()
        return try log.exclusively {
            reader = try log.replay(after: reader.position)
            try read()
            let here = unnamed.intersection(names)
            if !here.isEmpty { try values.remove(here) }
            return (here.count, others.filter { unnamed.contains($0.fileName) }, log.known)
        }
    }

    /// Begins a segment whose payloads may be compressed with these bytes. False if the last one names them already.
    ///
    /// Earlier versions did so with bytes that they had trained. Packing gains more, and most where payloads are plain.
    package func adopt(dictionary bytes: [UInt8]) throws -> Bool {
        try log.exclusively {
            let dictionary = CompressionDictionary(bytes)
            return try log.stateLock.withLock {
                try log.checkWritable()
                if log.tail.segment.dictionary?.id == dictionary.id { return false }
                try log.roll(to: dictionary)
                return true
            }
        }
    }
}
