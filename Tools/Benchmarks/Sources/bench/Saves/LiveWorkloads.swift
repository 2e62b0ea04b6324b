import ArgumentParser
import CoreData
import Foundation
import GRDB
import Synchronization

/// Lists that are kept up to date, and readers while another process saves.
extension Workload {
    static var liveResults: Workload {
        Workload(
            name: "live-results", suite: .saves,
            summary: "a sorted list of 50,000 is told of 60 single changes: of another process; with GRDB, of its own",
            goals: [
                .figure(name: "median milliseconds", atMost: 5),
                .figure(name: "median × of 5,000", atMost: 2),
                .time(atMost: 0.2, of: "grdb-observation"),
            ],
            sides: [
                Side("grdb-observation") { trial in
                    let changes = trial.count(60)
                    let queue = try GRDBItems.createIndexed(trial, trial.count(50_000))
                    let arrived = DispatchSemaphore(value: 0)
                    let observation = ValueObservation.tracking {
                        try FastItem.fetchAll($0, sql: ItemData.select + " ORDER BY a")
                    }
                    let observer = observation.start(
                        in: queue, scheduling: .async(onQueue: .global()), onError: { fatalError("\($0)") },
                        onChange: { _ in arrived.signal() })
                    arrived.wait()
                    try trial.measure {
                        for change in 1...changes {
                            try queue.write {
                                try $0.execute(sql: "UPDATE item SET b = -b WHERE id = ?", arguments: [change])
                            }
                            arrived.wait()
                        }
                    }
                    observer.cancel()
                    trial.digest.add(Int64(changes))
                },
                Side("firn") { trial in
                    let changes = trial.count(60)
                    let small = try LiveList(trial, rows: trial.count(5_000), name: "small").delays(changes)
                    let list = try LiveList(trial, rows: trial.count(50_000), name: "firn")
                    let delays = try trial.measure { try list.delays(changes) }
                    trial.figures["median milliseconds"] = delays[changes / 2]
                    trial.figures["99th percentile milliseconds"] = delays[changes * 99 / 100]
                    trial.figures["median × of 5,000"] = delays[changes / 2] / small[changes / 2]
                    trial.digest.add(Int64(changes))
                },
            ])
    }

    static var busyReaders: Workload {
        Workload(
            name: "busy-readers", suite: .saves,
            summary: "8 processes read 10,000 pages of 20 rows each while one saves 2,000 rows a second, relaxed",
            goals: [.rate(atLeast: 0.9, of: "raw")],
            sides: [
                Side("raw") { trial in
                    let database = try RawItems.created(trial, rows: trial.count(50_000))
                    try database.execute("CREATE INDEX item_a ON item (a)")
                    try database.execute("PRAGMA synchronous = NORMAL")
                    let statement = try database.prepare("UPDATE item SET b = -b WHERE id = ?")
                    try amongReaders(trial, "raw", trial.path("raw.sqlite")) { save in
                        statement.bind(Int64(save % trial.count(50_000) + 1), 1)
                        try statement.run()
                    }
                },
                Side("firn") { trial in
                    let container = try FirnItems.create(trial, durability: .system, isIndexed: true)
                    let context = container.newBackgroundContext()
                    try FirnItems.insert(0..<trial.count(50_000), into: context)
                    let items = try context.performAndWait { try context.fetch(FirnItems.request()) }
                    try amongReaders(trial, "firn", trial.path("firn.sqlite")) { save in
                        try context.performAndWait {
                            let item = items[save % items.count]
                            item.b = -item.b
                            try context.save()
                        }
                    }
                },
            ])
    }

    /// Measures how long eight processes take for their reads while `save` is called every half millisecond.
    private static func amongReaders(
        _ trial: Trial, _ side: String, _ path: String, _ save: @escaping (Int) throws -> Void
    ) throws {
        let readers = try (0..<8).map { try OtherProcess("read", side, path, "\(trial.count(10_000))", "\($0)") }
        for reader in readers { _ = reader.line() }
        let isDone = Atomic(false)
        var saves = 0
        try trial.measure {
            for reader in readers { reader.write("go\n") }
            let ends = Thread { for reader in readers { _ = reader.line() }; isDone.store(true, ordering: .releasing) }
            ends.start()
            let start = ContinuousClock.now
            while !isDone.load(ordering: .acquiring) {
                try save(saves)
                saves += 1
                let due = start + .microseconds(500 * saves)
                let rest = (due - ContinuousClock.now) / .microseconds(1)
                if rest > 0 { usleep(UInt32(rest)) }
            }
        }
        trial.figures["saves a second"] = Double(saves) / trial.seconds
        trial.digest.add(8)
    }
}

/// A controller with a list, whose objects another process changes one by one.
private final class LiveList: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    private let container: NSPersistentContainer
    private let controller: NSFetchedResultsController<Item>
    private let other: OtherProcess
    private let arrived = DispatchSemaphore(value: 0)

    init(_ trial: Trial, rows: Int, name: String) throws {
        let url = trial.folder.appendingPathComponent(name + ".sqlite")
        container = try FirnStores.container(url, FirnItems.model(isIndexed: true), durability: .system)
        try FirnItems.insert(0..<rows, into: container.newBackgroundContext())
        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = true
        let request = FirnItems.request()
        request.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        other = try OtherProcess("edit", url.path)
        super.init()
        _ = other.line()
        try context.performAndWait {
            controller.delegate = self
            try controller.performFetch()
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        arrived.signal()
    }

    /// From the call of a save in the other process until the delegate is told, in milliseconds, ascending.
    func delays(_ changes: Int) throws -> [Double] {
        var delays: [Double] = []
        for change in 0..<changes {
            other.write("\(change)\n")
            arrived.wait()
            let end = Monotonic.now
            delays.append(Double(end - other.number()) / 1e6)
        }
        return delays.sorted()
    }
}

/// The other process of `live-results`: changes an item for each line that it reads, and prints when it called save.
struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change an item of a store for each line of the input.", shouldDisplay: false)

    @Argument var store: String

    func run() throws {
        let container = try FirnStores.container(
            URL(fileURLWithPath: store), FirnItems.model(isIndexed: true), durability: .system)
        let context = container.newBackgroundContext()
        let items = try context.performAndWait { try context.fetch(FirnItems.request()) }
        OtherProcess.answer("ready")
        while let line = readLine(), let change = Int(line) {
            let start = try context.performAndWait {
                let item = items[change % items.count]
                item.b = -item.b - 1
                let start = Monotonic.now
                try context.save()
                return start
            }
            OtherProcess.answer("\(start)")
        }
    }
}

/// A reader of `busy-readers`: reads pages behind values of an index, once it is sent a line.
struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read pages of a store or a database of items.", shouldDisplay: false)

    @Argument var side: String
    @Argument var path: String
    @Argument var count: Int
    @Argument var seed: Int

    func run() throws {
        let page = try side == "raw" ? rawPage() : firnPage()
        OtherProcess.answer("ready")
        _ = readLine()
        for read in 0..<count { try page(ItemData.value(seed * 1_000_003 + read * 7 % 50_000, 0)) }
        OtherProcess.answer("done")
    }

    private func rawPage() throws -> (Int64) throws -> Void {
        let database = try RawDatabase(path)
        try database.execute("PRAGMA busy_timeout = 60000")
        let statement = try database.prepare(ItemData.select + " WHERE a >= ? ORDER BY a LIMIT 20")
        var sum: Int64 = 0
        return { value in
            statement.bind(value, 1)
            while try statement.step() { for column in 0..<10 { sum &+= statement.integer(Int32(column)) } }
            statement.reset()
            withExtendedLifetime(database) {}
        }
    }

    private func firnPage() throws -> (Int64) throws -> Void {
        let container = try FirnStores.container(
            URL(fileURLWithPath: path), FirnItems.model(isIndexed: true), durability: .system)
        let context = container.newBackgroundContext()
        let sorted = [NSSortDescriptor(key: "a", ascending: true)]
        var sum: Int64 = 0
        return { value in
            try context.performAndWait {
                let page = try context.rows(
                    of: Item.self, \.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h, \.i, \.j,
                    where: NSPredicate(format: "a >= %lld", value), sortedBy: sorted, limit: 20)
                for row in page {
                    sum &+= row.0 &+ row.1 &+ row.2 &+ row.3 &+ row.4
                    sum &+= row.5 &+ row.6 &+ row.7 &+ row.8 &+ row.9
                }
            }
            withExtendedLifetime(container) {}
        }
    }
}
