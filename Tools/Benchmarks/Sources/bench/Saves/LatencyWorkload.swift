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
                    let follower = try Follower(trial.path("firn.sqlite"), count: saves)
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
                    let delays = zip(try follower.arrivals(), starts).map { Double($0 - $1) / 1e6 }.sorted()
                    guard delays.count == saves else { fatalError("the follower heard of \(delays.count) saves") }
                    trial.figures["median milliseconds"] = delays[saves / 2]
                    trial.figures["99th percentile milliseconds"] = delays[saves * 99 / 100]
                    trial.digest.add(Int64(saves))
                }
            ])
    }
}

/// A process of this program that follows a store.
private struct Follower {
    private let process = Process()
    private let output = Pipe()

    /// Returns when the process follows.
    init(_ path: String, count: Int) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["follow", path, "\(count)"]
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
    }

    /// When it heard of each save.
    func arrivals() throws -> [UInt64] {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").compactMap { UInt64($0) }
    }
}

/// The other process of `latency`: prints a line when it follows, then the time of each transaction that it hears of.
struct Follow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a store of items and print when each transaction came.", shouldDisplay: false)

    @Argument var store: String
    @Argument var count: Int

    func run() throws {
        let container = NSPersistentContainer(name: "bench", managedObjectModel: FirnItems.model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: store))]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        let feed = try container.persistentStoreCoordinator.historyFeed()
        let count = count
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            var iterator = feed.makeAsyncIterator()
            FileHandle.standardOutput.write(Data("follows\n".utf8))
            var arrivals: [UInt64] = []
            while arrivals.count < count, try await iterator.next() != nil { arrivals.append(Monotonic.now) }
            let lines = arrivals.map { "\($0)\n" }.joined()
            FileHandle.standardOutput.write(Data(lines.utf8))
            ended.signal()
        }
        ended.wait()
    }
}

/// A clock that all processes share. https://man7.org/linux/man-pages/man2/clock_gettime.2.html
enum Monotonic {
    /// In nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
