extension SegmentLog {
    private static let pieceSize = 1 << 20

    /// Makes a log without records in a folder that is made too, or is empty, where another log of the same store is
    /// to be continued: it begins where that one begins, with its baseline if it was trimmed. `pull(from:)` fetches the
    /// records.
    ///
    /// When this throws, the folder has no log.
    ///
    /// - Parameters:
    ///   - date: in microseconds since 1970.
    ///   - sharedPlace: the place of the shared log that the new one is this machine's copy of.
    public static func create(
        directory: String, continuing source: any ChangeLog, options: LogOptions = LogOptions(),
        fileSystem: any FileSystem = PosixFileSystem(), date: Int64, sharedPlace: String? = nil
    ) throws -> SegmentLog {
        let last = try source.beginning().sequence
        guard last > .zero else {
            return try create(
                directory: directory, storeID: source.storeID, options: options, fileSystem: fileSystem, date: date,
                sharedPlace: sharedPlace)
        }
        try makeFiles(in: directory, from: source, after: last, options, fileSystem, sharedPlace)
        return try open(directory: directory, forWriting: true, options: options, fileSystem: fileSystem)
    }

    /// Makes a first segment behind a baseline, while nobody else makes a log in the folder.
    private static func makeFiles(
        in directory: String, from source: any ChangeLog, after last: SequenceNumber, _ options: LogOptions,
        _ fileSystem: any FileSystem, _ sharedPlace: String?
    ) throws {
        let lock = try lockOfNew(directory, options, fileSystem)
        defer { lock.release() }
        if try exists(directory: directory, fileSystem: fileSystem) {
            throw LogError(.alreadyExists, "There is a log here already; open it.", path: directory)
        }
        try markCopy(of: sharedPlace, in: directory, fileSystem)
        try copyBaseline(of: last, from: source, to: directory, fileSystem)
        // In force from the moment at which the segment after it is there.
        let header = try Segment.openBaseline(
            last, in: directory, storeID: source.storeID, fileSystem: fileSystem
        ).header
        try attempt { () throws(FileError) in
            _ = try Segment.create(header, in: directory, size: options.fileSize(), fileSystem: fileSystem)
        }
    }

    static func copyBaseline(
        of last: SequenceNumber, from source: any ChangeLog, to directory: String, _ fileSystem: any FileSystem
    ) throws {
        let unfinished = directory + "/" + Format.unfinishedBaselineName
        let file = try attempt { () throws(FileError) in
            if try fileSystem.kind(of: unfinished) != nil { try fileSystem.remove(unfinished) }
            return try fileSystem.open(unfinished, .create)
        }
        var offset: Int64 = 0
        while true {
            let piece = try source.baseline(of: last, from: offset, sizeMax: pieceSize)
            if piece.isEmpty { break }
            try attempt { () throws(FileError) in
                try file.write(piece.span.bytes, at: offset)
            }
            offset += Int64(piece.count)
        }
        try attempt { () throws(FileError) in
            try file.sync()
            try fileSystem.rename(unfinished, to: directory + "/" + Format.baselineName(last))
            try fileSystem.syncDirectory(directory)
        }
    }
}

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
            try fileSystem.createMissingDirectory(directory)
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
