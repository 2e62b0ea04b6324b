import Synchronization

extension SegmentLog {
    /// The models of the active baseline, ascending. Cached after the first call.
    func baselineModels() throws(LogError) -> [(SequenceNumber, LogModel)] {
        let sequence = baseline
        if sequence == .zero { return [] }
        let count = erasureCount.load(ordering: .relaxed)
        let reader = try BaselineReader(sequence, in: directory, storeID: storeID, fileSystem: fileSystem)
        var found: [(SequenceNumber, LogModel)] = []
        // Models come first.
        while case .model(let sequence, let model)? = try reader.next() { found.append((sequence, model)) }
        stateLock.withLock {
            guard erasureCount.load(ordering: .relaxed) == count else { return }
            for (sequence, model) in found { models[sequence] = model }
        }
        return found
    }

    /// When the last record was written that was cut off, in microseconds since 1970; nil if there is none.
    public var baselineDate: Int64? {
        get throws {
            let sequence = baseline
            guard sequence > .zero else { return nil }
            return try Segment.openBaseline(
                sequence, in: directory, storeID: storeID, fileSystem: fileSystem
            ).header.previousDate
        }
    }

    /// A model whose record was cut off; nil if the record is still there, or never carried one.
    func baselineModel(at sequence: SequenceNumber) throws(LogError) -> LogModel? {
        guard sequence <= baseline else { return nil }
        return try baselineModels().first { $0.0 == sequence }?.1
    }
}
