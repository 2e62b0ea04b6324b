import FirnLog
import Foundation
import TestSupport
import Testing

/// What trimming and erasing take in memory on a log of 500 MB. With `FIRN_MEASURE=1` only; prints and decides nothing.
@Suite(
    "Memory of upkeep", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] == "1"))
struct UpkeepMeasurement {
    /// 14,000 records of 50 KB that hardly compress, or 100,000 of 6 KB that begin with what the dictionary has.
    private func make(_ folder: String, hasDictionary: Bool) throws -> SegmentLog {
        let log = try SegmentLog.create(directory: folder, storeID: Samples.storeID, date: Samples.date)
        var random = SeededGenerator(seed: 1)
        if hasDictionary { _ = try LogMaintenance(log).adopt(dictionary: Array("the secret of this store".utf8)) }
        try log.save(.model(Samples.model))
        let (count, words) = hasDictionary ? (100_000, 800) : (14_000, 6000)
        let block = (0..<words).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        let noise = String(decoding: block.map { $0 & 63 + 48 }, as: UTF8.self)
        for batch in 0..<count / 100 {
            try log.exclusively {
                for number in 1...100 as ClosedRange<Int64> {
                    let key = Int64(batch) * 100 + number
                    let title = "the secret \(key) " + noise
                    try log.append(
                        Samples.oneNote(key, title: title), header: Samples.header(UInt64(key)))
                }
            }
        }
        try log.sync(through: log.head)
        return log
    }

    @Test("erasing and trimming", arguments: [false, true])
    func memory(hasDictionary: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "firn-upkeep-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try make(folder, hasDictionary: hasDictionary)
        let size = try log.statistics().frameSize / 1_000_000
        var before = ProcessMemory.reset()
        let count = try LogMaintenance(log).erase(
            Erasure(model: 1, object: ObjectKey(entity: EntityNumber(1), primaryKey: 5000)), header: Samples.header(1))
        print(
            "a log of \(size) MB\(hasDictionary ? " with a dictionary that tells of the value" : ""): erased from "
                + "\(count) records with \(ProcessMemory.peak() - before) MB more")
        before = ProcessMemory.reset()
        try LogMaintenance(log).trim(through: SequenceNumber(log.head.rawValue - 10)) { write in
            let reader = try log.records(after: .zero)
            while let record = try reader.next() {
                guard case .changes(let changes) = record.body else { continue }
                try write(.rows(changes, versions: [[Int64(record.sequence.rawValue)]]))
            }
        }
        print("trimmed to a baseline of as much with \(ProcessMemory.peak() - before) MB more")
    }
}

/// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
enum ProcessMemory {
    /// Makes the kernel count the peak anew; what is held now, in MB.
    static func reset() -> Int {
        if let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") {
            try? file.write(contentsOf: Data("5".utf8))
        }
        return status("VmRSS:")
    }

    /// The most that was held since, in MB.
    static func peak() -> Int { status("VmHWM:") }

    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) / 1000
    }
}
