extension SegmentLog {
    /// Makes a log without records in a folder that is made too, or is empty, which begins after the record `last`:
    /// `state` writes the parts of its baseline, the state after that record, behind the model. It is the log that
    /// trimming another one would have left.
    ///
    /// - Parameters:
    ///   - link: the chain value of that record.
    ///   - date: in microseconds since 1970; no record is older.
    package static func create(
        directory: String, storeID: StoreID, after last: SequenceNumber, link: ChainValue, date: Int64,
        model: (sequence: SequenceNumber, model: LogModel), fileSystem: any FileSystem = PosixFileSystem(),
        state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws {
        let header = SegmentHeader(
            storeID: storeID, firstSequence: last.next, modelSequence: model.sequence, creationDate: date,
            previousDate: date, chain: link)
        let unfinished = directory + "/" + Format.unfinishedBaselineName
        let options = LogOptions()
        let file = try attempt { () throws(FileError) in
            if try fileSystem.kind(of: directory) == nil { try fileSystem.createDirectory(directory) }
            return try fileSystem.open(unfinished, .create)
        }
        let writer = try BaselineWriter(file, header: header, level: options.compressionLevel)
        try writer.write(.model(model.sequence, model.model))
        try state { try writer.write($0) }
        try writer.finish()
        try attempt { () throws(FileError) in
            try fileSystem.rename(unfinished, to: directory + "/" + Format.baselineName(last))
            try fileSystem.syncDirectory(directory)
            // In force from the moment at which the segment after it is there.
            _ = try Segment.create(header, in: directory, size: options.fileSize(), fileSystem: fileSystem)
        }
    }
}
