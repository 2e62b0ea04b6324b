import FirnLog
import Testing

/// What a log has said to be durable is there after a power cut, however soon that comes.
@Suite("A record that was acknowledged")
struct AcknowledgementTests {
    private func create(_ files: SimulatedFileSystem, _ options: LogOptions) throws -> SegmentLog {
        try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: options, fileSystem: files, date: Samples.date)
    }

    private func notes(after files: SimulatedFileSystem) throws -> Set<Int64> {
        let log = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files.afterCrash())
        return try log.notes()
    }

    private static let sizes: [Int64] = [4096, 1 << 20]

    @Test("survives a power cut straight after it", arguments: sizes, 1...40 as ClosedRange<UInt64>)
    func acknowledged(segmentSize: Int64, seed: UInt64) throws {
        let files = SimulatedFileSystem(seed: seed)
        let log = try create(files, LogOptions(segmentSize: segmentSize))
        for key in 1...30 as ClosedRange<Int64> {
            let sequence = try log.withWriterLock {
                try $0.append(Samples.oneNote(key), header: Samples.header(UInt64(key)))
            }
            try log.acknowledge(through: sequence)
            #expect(log.durableThrough >= sequence)
            #expect(try notes(after: files) == Set(1...key), "seed \(seed)")
        }
    }

    @Test("with others before it survives a power cut with all of them", arguments: 1...40 as ClosedRange<UInt64>)
    func several(seed: UInt64) throws {
        let files = SimulatedFileSystem(seed: seed)
        let log = try create(files, LogOptions(segmentSize: 4096))
        for first in stride(from: 1, to: 30, by: 3) as StrideTo<Int64> {
            let sequence = try log.withWriterLock { writer in
                for key in first..<first + 3 {
                    try writer.append(Samples.oneNote(key), header: Samples.header(UInt64(key)))
                }
                return writer.head
            }
            try log.acknowledge(through: sequence)
            #expect(try notes(after: files) == Set(1..<first + 3), "seed \(seed)")
        }
    }

    @Test("that was prepared survives a power cut straight after its commit", arguments: 1...40 as ClosedRange<UInt64>)
    func committed(seed: UInt64) throws {
        let files = SimulatedFileSystem(seed: seed)
        let log = try create(files, LogOptions(segmentSize: 4096))
        for key in 1...20 as ClosedRange<Int64> {
            let record = try #require(log.prepare(Samples.oneNote(key), header: Samples.header(UInt64(key))))
            #expect(try log.commit(record) { _ in true } completion: { _ in })
            #expect(try notes(after: files) == Set(1...key), "seed \(seed)")
        }
    }
}
