import FirnLog
import TestSupport
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
            let sequence = try log.exclusively {
                try log.append(Samples.oneNote(key), header: Samples.header(UInt64(key)))
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
            let sequence = try log.exclusively {
                for key in first..<first + 3 {
                    try log.append(Samples.oneNote(key), header: Samples.header(UInt64(key)))
                }
                return log.head
            }
            try log.acknowledge(through: sequence)
            #expect(try notes(after: files) == Set(1..<first + 3), "seed \(seed)")
        }
    }

    @Test("that was prepared survives a power cut straight after it", arguments: 1...40 as ClosedRange<UInt64>)
    func committed(seed: UInt64) throws {
        let files = SimulatedFileSystem(seed: seed)
        let log = try create(files, LogOptions(segmentSize: 4096))
        for key in 1...20 as ClosedRange<Int64> {
            let record = log.prepare(Samples.oneNote(key), header: Samples.header(UInt64(key)))
            let outcomes = try log.exclusively { try log.append([record]) }
            try log.acknowledge(through: outcomes[0].get().head)
            #expect(try notes(after: files) == Set(1...key), "seed \(seed)")
        }
    }

    @Test("that came from another log survives a power cut straight after it", arguments: 1...20 as ClosedRange<UInt64>)
    func pulled(seed: UInt64) throws {
        let source = try create(SimulatedFileSystem(seed: 1), LogOptions())
        for key in 1...5 as ClosedRange<Int64> { try source.save(Samples.oneNote(key)) }
        let files = SimulatedFileSystem(seed: seed)
        try create(files, LogOptions()).pull(from: source)
        #expect(try notes(after: files) == Set(1...5), "seed \(seed)")
    }

    @Test("finds the large value that it names after a power cut", arguments: 1...40 as ClosedRange<UInt64>)
    func largeValue(seed: UInt64) throws {
        let files = SimulatedFileSystem(seed: seed)
        let log = try create(files, LogOptions())
        let value = [UInt8](repeating: 7, count: 5000)
        let reference = try value.withUnsafeBytes { try log.externalValues.store($0) }
        try log.externalValues.syncNames()
        let again = try SegmentLog.open(directory: "/log", forWriting: true, fileSystem: files.afterCrash())
        #expect(try again.externalValues.value(of: reference) == value, "seed \(seed)")
    }
}

extension SegmentLog {
    /// The notes that are there.
    func notes() throws -> Set<Int64> {
        Set(
            try all().flatMap { record -> [Int64] in
                guard case .changes(let changes) = record.body else { return [] }
                return changes.groups.flatMap(\.primaryKeys)
            })
    }
}
