/// A baseline in memory, with the bytes of a segment log's file: for logs that are not kept in files.
package enum BaselineBytes {
    private static let directory = "/baseline"

    /// Makes the baseline that stands in for all records up to `end`.
    ///
    /// - Parameters:
    ///   - models: all models of those records, ascending.
    ///   - state: writes the other parts.
    package static func make(
        at end: LogCheckpoint, models: [(SequenceNumber, LogModel)],
        _ state: (_ write: (BaselinePart) throws -> Void) throws -> Void
    ) throws -> [UInt8] {
        let files = MemoryFileSystem()
        let path = directory + "/" + Format.baselineName(end.sequence)
        let header = SegmentHeader(
            storeID: end.storeID, firstSequence: end.sequence.next, modelSequence: models.last?.0 ?? .zero,
            creationDate: SystemClock.now(), previousDate: end.date, chain: end.link)
        let writer = try attempt { () throws(FileError) in
            try BaselineWriter(
                try files.open(path, .create), header: header, level: LogOptions().compressionLevel)
        }
        for (sequence, model) in models { try writer.write(.model(sequence, model)) }
        try state { try writer.write($0) }
        try writer.finish()
        return try attempt { () throws(FileError) in try files.contents(of: path) }
    }

    /// The models of a baseline; all of its frames up to the last model are checked.
    package static func models(
        in bytes: [UInt8], of end: LogCheckpoint
    ) throws -> [(SequenceNumber, LogModel)] {
        let reader = try reader(of: bytes, end.sequence, storeID: end.storeID, MemoryFileSystem())
        var models: [(SequenceNumber, LogModel)] = []
        while case .model(let sequence, let model)? = try reader.next() { models.append((sequence, model)) }
        return models
    }

    /// Reads a baseline's bytes, of which it makes a file.
    static func reader(
        of bytes: [UInt8], _ last: SequenceNumber, storeID: StoreID, _ files: MemoryFileSystem
    ) throws(LogError) -> BaselineReader {
        try attempt { () throws(FileError) in
            let file = try files.open(directory + "/" + Format.baselineName(last), .create)
            try file.write(bytes.span.bytes, at: 0)
        }
        return try BaselineReader(last, in: directory, storeID: storeID, fileSystem: files)
    }
}
