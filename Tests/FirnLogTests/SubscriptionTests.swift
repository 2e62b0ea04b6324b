import FirnLog
import TestSupport
import Testing

@Suite("Subscriptions of a log")
struct SubscriptionTests {
    private func log(_ files: SimulatedFileSystem) throws -> SegmentLog {
        try SegmentLog.create(directory: "/log", storeID: Samples.storeID, fileSystem: files, date: Samples.date)
    }

    private let sample = Subscription(
        name: "mail-1", checkpoint: LogPosition(41, link: -2), date: 1_700_000_000_000_000,
        deadLetters: [
            .init(sequence: 17, date: -5, reason: "no such address: a b"), .init(sequence: 18, date: 0, reason: ""),
        ])

    @Test("are read as they were stored")
    func roundTrip() throws {
        let log = try log(SimulatedFileSystem(seed: 1))
        #expect(try log.subscriptions() == [])
        #expect(try log.seenByAllSubscriptions() == nil)
        try log.store(sample)
        try log.store(Subscription(name: "a", checkpoint: 7, date: 1))
        #expect(try log.subscription(named: "mail-1") == sample)
        #expect(try log.subscription(named: "mail-1")?.checkpoint.link == -2)
        #expect(try log.subscriptions().map(\.name) == ["a", "mail-1"])
        #expect(try log.seenByAllSubscriptions() == 7)
        #expect(try log.removeSubscription(named: "a"))
        #expect(try !log.removeSubscription(named: "a"))
        #expect(try log.subscriptions() == [sample])
    }

    @Test("are the old or the new one, wherever the power goes")
    func crash() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            for step in 1...5 {
                let files = SimulatedFileSystem(seed: seed)
                let log = try log(files)
                try log.store(Subscription(name: "a", checkpoint: 1, date: 1))
                files.fault = .crash
                files.faultStep = files.steps + step
                try? log.store(Subscription(name: "a", checkpoint: 2, date: 2))
                let again = try SegmentLog.open(
                    directory: "/log", forWriting: true, fileSystem: files.afterCrash())
                let checkpoint = try again.subscription(named: "a")?.checkpoint
                #expect(checkpoint == 1 || checkpoint == 2, "seed \(seed), step \(step)")
                try again.store(Subscription(name: "a", checkpoint: 3, date: 3))
                #expect(try again.subscription(named: "a")?.checkpoint == 3)
            }
        }
    }

    @Test("a damaged one is reported, and keeps the log from being cut")
    func damage() throws {
        let files = SimulatedFileSystem(seed: 1)
        let log = try log(files)
        try log.store(sample)
        let path = "/log/mail-1.subscription"
        let sound = files.contents(path)
        for index in sound.indices {
            var bytes = sound
            bytes[index] ^= 1 << UInt8(index % 8)
            files.replace(path, with: bytes)
            #expect(throws: LogError.self, "byte \(index)") { try log.seenByAllSubscriptions() }
        }
    }
}
