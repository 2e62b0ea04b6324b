extension SegmentLog {
    /// Where the log stands after a record. Throws `missing` if it is not there (yet, or any more).
    public func checkpoint(at sequence: SequenceNumber) throws -> LogCheckpoint {
        let frame = try frame(at: sequence)
        return LogCheckpoint(storeID: storeID, sequence: sequence, date: frame.date, link: frame.link)
    }

    /// Throws unless the log still holds what it held when the checkpoint was taken: `storeMismatch` for another
    /// store's, `missing` where the record is not there (any more), `damaged` where it has another link.
    ///
    /// This checks one record. `verify(from:)` walks from its segment's beginning, whose header that record's
    /// link covers.
    public func check(_ checkpoint: LogCheckpoint) throws {
        guard checkpoint.storeID == storeID else {
            throw LogError(
                .storeMismatch, "The checkpoint is of another store.", path: directory,
                expected: storeID.uuidString, found: checkpoint.storeID.uuidString)
        }
        try refresh()
        try refreshBeginning()
        let info: (path: String, link: ChainValue)
        if checkpoint.sequence == baseline, baseline > .zero {
            let segment = try Segment.openBaseline(
                baseline, in: directory, storeID: storeID, fileSystem: fileSystem)
            info = (segment.path, segment.header.chain)
        } else {
            let frame = try frame(at: checkpoint.sequence)
            info = (frame.path, frame.link)
        }
        guard info.link == checkpoint.link else {
            throw LogError(
                .damaged, "The log up to here is not what it was when the checkpoint was taken.", path: info.path,
                sequence: checkpoint.sequence, expected: "\(checkpoint.link)", found: "\(info.link)")
        }
    }
}
