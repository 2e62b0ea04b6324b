import ArgumentParser
import CoreData
import Foundation

/// How soon another process hears of a save.
extension Workload {
    static var latency: Workload {
        Workload(
            name: "latency", suite: .saves,
            summary: "1,000 synced saves of one object, 2 ms apart, from calling save to the feed of another process",
            goals: [
                .figure(name: "median milliseconds", atMost: 1),
                .figure(name: "99th percentile milliseconds", atMost: 10),
            ],
            sides: [
                Side("firn") { trial in
                    let saves = trial.count(1_000)
                    let container = try FirnItems.create(trial)
                    let follower = try OtherProcess("follow", trial.path("firn.sqlite"), "\(saves)")
                    _ = follower.line()
                    let context = container.newBackgroundContext()
                    var starts: [UInt64] = []
                    try context.performAndWait {
                        try trial.measure {
                            for row in 0..<saves {
                                usleep(2_000)
                                Item(context: context).fill(row)
                                starts.append(Monotonic.now)
                                try context.save()
                            }
                        }
                    }
                    let delays = starts.map { Double(follower.number() - $0) / 1e6 }.sorted()
                    trial.figures["median milliseconds"] = delays[saves / 2]
                    trial.figures["99th percentile milliseconds"] = delays[saves * 99 / 100]
                    trial.digest.add(Int64(saves))
                }
            ])
    }
}

/// The other process of `latency`: prints a line when it follows, then the time of each transaction that it hears of.
struct Follow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a store of items and print when each transaction came.", shouldDisplay: false)

    @Argument var store: String
    @Argument var count: Int

    func run() throws {
        let container = try FirnStores.container(URL(fileURLWithPath: store), FirnItems.model())
        let feed = try container.persistentStoreCoordinator.historyFeed()
        let count = count
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            var iterator = feed.makeAsyncIterator()
            OtherProcess.answer("follows")
            var arrivals: [UInt64] = []
            while arrivals.count < count, try await iterator.next() != nil { arrivals.append(Monotonic.now) }
            for arrival in arrivals { OtherProcess.answer("\(arrival)") }
            ended.signal()
        }
        ended.wait()
    }
}
