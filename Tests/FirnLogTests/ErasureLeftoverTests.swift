import FirnLog
import Foundation
import TestSupport
import Testing

@Suite("Files that killed programs leave, and an erasure")
struct ErasureLeftoverTests {
    private static let options = LogOptions(segmentSize: 4096)
    private static let secret = "Ada's secret, which nobody may find " + String(repeating: "secret ", count: 30)

    /// A log of a model and notes, the third of which has the secret.
    private func make(_ files: SimulatedFileSystem, _ count: Int64) throws -> SegmentLog {
        let log = try SegmentLog.create(
            directory: "/log", storeID: Samples.storeID, options: Self.options, fileSystem: files, date: Samples.date)
        try log.save(.model(Samples.model))
        for key in 1...count { try log.save(Samples.oneNote(key, title: key == 3 ? Self.secret : "note \(key)")) }
        return log
    }

    private func erase(_ log: SegmentLog) throws {
        let object = ObjectKey(entity: EntityNumber(1), primaryKey: 3)
        _ = try LogMaintenance(log).erase(Erasure(model: 1, object: object), header: Samples.header(99))
    }

    /// The files and records that have the secret.
    private func traces(_ files: SimulatedFileSystem) throws -> [String] {
        var found = try files.list("/log").filter { name in
            Data(files.contents("/log/" + name)).range(of: Data("secret".utf8)) != nil
        }
        let log = try SegmentLog.open(directory: "/log", forWriting: false, fileSystem: files)
        let replay = try log.replay()
        while let record = try replay.next() {
            if "\(record.body)".contains("secret") { found.append("record \(record.sequence)") }
        }
        return found
    }

    /// The baseline becomes active when a segment begins after its record: with the erasure's own record, if the
    /// segment before is full.
    @Test("a trim that was killed leaves no baseline with the values", arguments: 46...50 as ClosedRange<Int64>)
    func killedTrim(count: Int64) throws {
        for step in 1...20 {
            let files = SimulatedFileSystem(seed: 1)
            let doomed = try make(files, count)
            let other = try SegmentLog.open(
                directory: "/log", forWriting: true, options: Self.options, fileSystem: files)
            (files.fault, files.faultStep) = (.crash, files.steps + step)
            try? LogMaintenance(doomed).trim(through: doomed.head) { write in
                guard case .changes(let changes) = Samples.oneNote(3, title: Self.secret) else { return }
                try write(.rows(changes, versions: [[4]]))
            }
            files.revive()
            try erase(other)
            #expect(try traces(files) == [], "step \(step)")
        }
    }

    @Test("a subscription that was being stored leaves no reason with the values")
    func killedSubscription() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try make(files, 10)
        (files.fault, files.faultStep) = (.crash, files.steps + 3)
        let letter = Subscription.DeadLetter(sequence: 4, date: 1, reason: Self.secret)
        try? log.store(Subscription(name: "mail", checkpoint: 10, date: 1, deadLetters: [letter]))
        files.revive()
        #expect(try files.list("/log").contains("mail.subscription.tmp"))
        try erase(log)
        #expect(try traces(files) == [])
    }
}
