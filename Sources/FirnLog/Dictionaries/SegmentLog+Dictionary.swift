extension SegmentLog {
    /// In records. The first training is due at `firstTrial`, the next ones each time the log has doubled (or grown
    /// eight times, if the last one gained nothing), at the latest after `trialDistanceMax` more.
    static let firstTrial: UInt64 = 500
    private static let trialDistanceMax: UInt64 = 20_000
    /// In records of this process: when the first training of an older log without a dictionary is due.
    private static let laterTrialDistance: UInt64 = 100

    /// To be called with `stateLock` held, when the log was opened.
    func beginTrials() {
        let head = tail.head.rawValue
        let isNew = tail.segment.dictionary == nil
        dictionaryTrial = isNew ? max(Self.firstTrial, head + Self.laterTrialDistance) : Self.trial(after: head)
    }

    private static func trial(after head: UInt64, isInVain: Bool = false) -> UInt64 {
        head + min(max(firstTrial, isInVain ? 7 * head : head), trialDistanceMax)
    }

    /// Whether enough records were appended for a training to be worthwhile. Returns true once for each training.
    public func beginDictionaryTrial() -> Bool {
        stateLock.withLock {
            // The frames of other machines know nothing of a copy's dictionary.
            guard isWritable, !isClosed, poison == nil, !isCopy, tail.head.rawValue >= dictionaryTrial else {
                return false
            }
            dictionaryTrial = Self.trial(after: tail.head.rawValue)
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
        let (head, current) = try stateLock.withLock {
            try checkWritable()
            return (tail.head, tail.segment.dictionary)
        }
        let distance = min(head.rawValue, UInt64(DictionaryTrainer.sampleCountMax))
        let least = max(first.rawValue, head.rawValue - distance + 1) - 1
        let reader = try records(after: SequenceNumber(least))
        var trainer = DictionaryTrainer()
        while reader.position < head, !trainer.isFull, let (kind, payload) = try reader.nextPayload() {
            if kind == .changes { trainer.add(payload) }
        }
        guard let dictionary = trainer.train(insteadOf: current, level: options.compressionLevel) else {
            if trainer.isWorthwhile {
                stateLock.withLock { dictionaryTrial = Self.trial(after: head.rawValue, isInVain: true) }
            }
            return nil
        }
        return TrainedDictionary(dictionary: dictionary, last: head)
    }

    /// The second half of `trainAndAdoptDictionary`, which is short: begins a segment.
    public func adopt(_ trained: TrainedDictionary) throws -> Bool {
        try exclusively { try adopt(trained.dictionary, trainedThrough: trained.last) }
    }

    /// Begins a segment whose payloads may be compressed with these bytes. False if the last one names them already.
    package func adopt(dictionary bytes: [UInt8]) throws -> Bool {
        try exclusively { try adopt(CompressionDictionary(bytes), trainedThrough: head) }
    }

    /// With the writer's lock. Whenever this is interrupted, the log is whole:
    ///
    ///     write the dictionary's file                 no segment names it yet: the next opening removes it
    ///     roll to a segment that names it
    private func adopt(
        _ dictionary: CompressionDictionary, trainedThrough last: SequenceNumber
    ) throws -> Bool {
        // What was erased meanwhile may be in it.
        let reader = try records(after: max(last, SequenceNumber(first.rawValue - 1)))
        while let frame = try reader.nextFrameInfo() {
            if frame.kind == .erasure { return false }
        }
        stateLock.lock()
        defer { stateLock.unlock() }
        try checkWritable()
        if tail.segment.dictionary?.id == dictionary.id { return false }
        try roll(to: dictionary)
        return true
    }

    /// Continues in a segment that names the dictionary. To be called with `stateLock` and the writer's lock held.
    func roll(to dictionary: CompressionDictionary) throws(LogError) {
        let path = directory + "/" + Format.dictionaryName(dictionary.id)
        try attempt { () throws(FileError) in
            try fileSystem.replaceFile(path, in: directory, with: dictionary.bytes)
        }
        try roll(for: 0, dictionary: dictionary)
    }

    /// Removes dictionaries that no active segment names. Call with the writer's lock held.
    func removeUnusedDictionaries(_ contents: LogContents) throws(LogError) {
        if contents.dictionaries.isEmpty { return }
        var named: Set<String> = []
        for start in contents.starts {
            let path = directory + "/" + Format.segmentName(start)
            let file = try attempt { () throws(FileError) in try fileSystem.open(path, .read) }
            let header = try SegmentHeader(reading: file, path: path)
            if let id = header.dictionary { named.insert(Format.dictionaryName(id)) }
        }
        for name in contents.dictionaries where !named.contains(name) {
            try attempt { () throws(FileError) in try fileSystem.remove(directory + "/" + name) }
        }
    }
}

/// A dictionary that no segment names yet.
public struct TrainedDictionary: Sendable {
    let dictionary: CompressionDictionary
    /// The last record that it was trained on.
    let last: SequenceNumber
}
