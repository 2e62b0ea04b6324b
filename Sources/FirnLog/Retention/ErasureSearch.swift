/// The search for what an erasure does to a log that is kept elsewhere, in a copy of it.
package final class ErasureSearch {
    private let copy: SegmentLog
    private let erasure: Erasure
    private var eraser: LogEraser
    /// How many records have such a value.
    package let count: Int

    /// Reads the copy. With the copy's writer's lock not held.
    package init(_ copy: SegmentLog, _ erasure: Erasure) throws {
        var erasure = erasure
        erasure.replaced = []
        (self.copy, self.erasure) = (copy, erasure)
        eraser = LogEraser(copy, erasure)
        try copy.refreshBeginning()
        try eraser.search()
        count = eraser.replacements.count
        try eraser.dropDictionaries()
    }

    /// The records that say so: one that names the records, one that ends it.
    package func run(after end: LogCheckpoint, header: TransactionHeader) throws -> FrameRun {
        var last = header
        last.id = .random()
        let bodies: [(body: LogRecord.Body, header: TransactionHeader)] =
            (eraser.replacements.isEmpty ? [] : [(.erasure(eraser.record), header)]) + [(.erasure(erasure), last)]
        return try FrameEncoder().run(bodies, after: end)
    }

    /// Calls `body` with each frame that is to stand for another one.
    package func forEachFrame(_ body: (SequenceNumber, [UInt8]) throws -> Void) throws {
        for start in copy.stateLock.withLock({ copy.contents.starts }) {
            let segment = try copy.openSegment(start)
            var cursor = SegmentCursor(segment)
            while case .frame(let frame) = try cursor.next() {
                guard let bytes = try eraser.replacedFrame(frame, in: segment) else { continue }
                try body(frame.header.sequence, bytes)
            }
        }
    }

    /// A baseline without the values; nil if it has none of them.
    package func redacted(baseline bytes: [UInt8], of last: SequenceNumber) throws -> [UInt8]? {
        let files = MemoryFileSystem()
        let reader = try BaselineBytes.reader(of: bytes, last, storeID: copy.storeID, files)
        let target = "/" + Format.unfinishedBaselineName
        let file = try attempt { () throws(FileError) in try files.open(target, .create) }
        guard try eraser.redact(reader, into: file) else { return nil }
        return try attempt { () throws(FileError) in try files.contents(of: target) }
    }
}
