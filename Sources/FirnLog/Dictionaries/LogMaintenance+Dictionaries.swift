import Synchronization

extension LogMaintenance {
    /// In records. The first training is due at `firstTrial`, the next ones each time the log has doubled (or grown
    /// eight times, if the last one gained nothing), at the latest after `trialDistanceMax` more.
    private static let firstTrial: UInt64 = 500
    private static let trialDistanceMax: UInt64 = 20_000
    /// In records of this process: when the first training of an older log without a dictionary is due.
    private static let laterTrialDistance: UInt64 = 100

    private static func trial(after head: UInt64, isInVain: Bool = false) -> UInt64 {
        head + min(max(firstTrial, isInVain ? 7 * head : head), trialDistanceMax)
    }

    /// The record at which the first training of a log is due.
    static func firstTrial(of log: SegmentLog) -> UInt64 {
        let (head, isFirst) = log.stateLock.withLock { (log.tail.head.rawValue, log.tail.segment.dictionary == nil) }
        return isFirst ? max(firstTrial, head + laterTrialDistance) : trial(after: head)
    }

    /// Whether enough records were appended for a training to be worthwhile. Returns true once for each training.
    public func beginDictionaryTrial() -> Bool {
        // The frames of other machines know nothing of a copy's dictionary.
        guard log.isWritable, !log.isCopy else { return false }
        let head = log.stateLock.withLock { log.isClosed || log.poison != nil ? 0 : log.tail.head.rawValue }
        return nextTrial.withLock { next in
            guard head >= next else { return false }
            next = Self.trial(after: head)
            return true
        }
    }

    /// Trains a dictionary on the last change sets and begins a segment with it, if that makes the log smaller. Saves
    /// go on meanwhile. Dictionaries that no segment names any more are removed with the segments.
    ///
    /// - Returns: whether there is a new dictionary.
    @discardableResult
    public func trainAndAdoptDictionary() throws -> Bool {
        guard let trained = try trainDictionary() else { return false }
        return try adopt(trained)
    }

    /// The first half of `trainAndAdoptDictionary`, which takes some milliseconds and no lock: nil if nothing is
    /// gained.
    public func trainDictionary() throws -> TrainedDictionary? {
        let (head, current) = try log.stateLock.withLock {
            try log.checkWritable()
            return (log.tail.head, log.tail.segment.dictionary)
        }
        let distance = min(head.rawValue, UInt64(DictionaryTrainer.sampleCountMax))
        let least = max(log.first.rawValue, head.rawValue - distance + 1) - 1
        let reader = try log.records(after: SequenceNumber(least))
        var trainer = DictionaryTrainer()
        while reader.position < head, !trainer.isFull, let (kind, payload) = try reader.nextPayload() {
            if kind == .changes { trainer.add(payload) }
        }
        guard let dictionary = trainer.train(insteadOf: current, level: log.options.compressionLevel) else {
            if trainer.isWorthwhile {
                nextTrial.withLock { $0 = Self.trial(after: head.rawValue, isInVain: true) }
            }
            return nil
        }
        return TrainedDictionary(dictionary: dictionary, last: head)
    }

    /// The second half of `trainAndAdoptDictionary`, which is short: begins a segment.
    public func adopt(_ trained: TrainedDictionary) throws -> Bool {
        try log.exclusively { try adopt(trained.dictionary, trainedThrough: trained.last) }
    }

    /// Begins a segment whose payloads may be compressed with these bytes. False if the last one names them already.
    package func adopt(dictionary bytes: [UInt8]) throws -> Bool {
        try log.exclusively { try adopt(CompressionDictionary(bytes), trainedThrough: log.head) }
    }

    /// With the writer's lock. Whenever this is interrupted, the log is whole:
    ///
    ///     write the dictionary's file                 no segment names it yet: the next opening removes it
    ///     roll to a segment that names it
    private func adopt(
        _ dictionary: CompressionDictionary, trainedThrough last: SequenceNumber
    ) throws -> Bool {
        // What was erased meanwhile may be in it.
        let reader = try log.records(after: max(last, SequenceNumber(log.first.rawValue - 1)))
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .erasure { return false }
        }
        log.stateLock.lock()
        defer { log.stateLock.unlock() }
        try log.checkWritable()
        if log.tail.segment.dictionary?.id == dictionary.id { return false }
        try log.roll(to: dictionary)
        return true
    }
}

/// A dictionary that no segment names yet.
public struct TrainedDictionary: Sendable {
    let dictionary: CompressionDictionary
    /// The last record that it was trained on.
    let last: SequenceNumber
}
