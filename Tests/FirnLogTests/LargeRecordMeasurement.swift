import FirnLog
import Foundation
import TestSupport
import Testing

/// What a large change set takes in memory beside its values. With `FIRN_MEASURE=1` only; prints and decides nothing.
@Suite(
    "Memory of large records", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] == "1"))
struct LargeRecordMeasurement {
    private static let mebibyte = 1 << 20

    /// 500 blobs of a mebibyte, of which zstd makes nothing smaller, or next to nothing.
    private func body(isRandom: Bool) -> LogRecord.Body {
        var random = SeededGenerator(seed: 1)
        var block = [UInt64](repeating: 7, count: Self.mebibyte / 8)
        if isRandom { for index in block.indices { block[index] = random.next() } }
        var runs = ByteRuns()
        runs.reserve(count: 500, byteCount: 500 * Self.mebibyte)
        for number in 0..<500 {
            block[0] = UInt64(number)
            block.withUnsafeBytes { runs.append($0) }
        }
        let group = ChangeGroup(
            entity: EntityNumber(1), operation: .insert, primaryKeys: Array(1...500), slots: [4],
            new: [Column(values: .blobs(runs))])
        return .changes(ChangeSet(model: 1, groups: [group]))
    }

    @Test("of 500 MiB, written and read", arguments: [true, false], [false, true])
    func memory(isRandom: Bool, isHeld: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "firn-large-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = LogOptions()
        if isHeld { options.heldSizeMax = .max }
        let log = try SegmentLog.create(
            directory: folder, storeID: Samples.storeID, options: options, date: Samples.date)
        let what = (isRandom ? "random" : "repeating") + (isHeld ? ", held" : ", piece by piece")
        do {
            let body = body(isRandom: isRandom)
            let before = ProcessMemory.reset()
            try log.save(body)
            print("\(what): written with \(ProcessMemory.peak() - before) MB beside the values")
        }
        let before = ProcessMemory.reset()
        let record = try log.record(at: 1)
        print("\(what): read with \(ProcessMemory.peak() - before) MB, the values among them")
        withExtendedLifetime(record) {}
    }
}
