import Firn
import FirnFoundation
import FirnLog
import FirnModel
import FirnPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

/// Figures of shared stores. Prints them and holds nothing: they are the machine's.
/// `FIRN_MEASURE=1 Tools/with-postgres swift test --skip-build --filter SharedStoreMeasurement`.
@Suite(
    "Measured: stores whose log is on PostgreSQL", .needsPostgres, .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["FIRN_MEASURE"] != nil))
struct SharedStoreMeasurement {
    private let address = PostgresServer.address(database: "postgres") + "#" + UUID().uuidString

    init() { PostgresLog.register() }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    }

    private func percentiles(_ times: [Double]) -> String {
        let sorted = times.sorted().map { Int($0 * 1_000_000) }
        return "p50 \(sorted[sorted.count / 2]) µs, p99 \(sorted[sorted.count * 99 / 100]) µs"
    }

    @Test("how long a save takes, and until another machine has it")
    func saves() throws {
        let (machine, other) = (try Machine(address), try Machine(address))
        let heard = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: other.coordinator, queue: nil
        ) { _ in heard.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let directory = try TemporaryDirectory()
        let own = NSPersistentStoreCoordinator(managedObjectModel: Notes.model())
        try own.addPersistentStore(type: .sqlite, at: directory.file("Own.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = own
        var (shared, local, hears): ([Double], [Double], [Double]) = ([], [], [])
        for number in 0..<300 {
            shared.append(try seconds { try machine.note("\(number)") })
            hears.append(seconds { heard.wait() })
            local.append(
                try seconds {
                    try context.performAndWait {
                        Notes.insert("\(number)", in: context)
                        try context.save()
                    }
                })
        }
        print("a save to PostgreSQL: \(percentiles(shared)); to a store of its own: \(percentiles(local))")
        print("another machine has it after another \(percentiles(hears))")
    }

    @Test("how long a new machine takes to catch up")
    func catchUp() throws {
        let machine = try Machine(address)
        let (saves, objects) = (200, 1000)
        for save in 0..<saves {
            try machine.context.performAndWait {
                let rows = (0..<objects).map { ["text": "note \(save) \($0)", "count": $0] as [String: Any] }
                _ = try machine.context.execute(NSBatchInsertRequest(entityName: "Note", objects: rows))
            }
        }
        let server = try #require(PostgresAddress(address))
        let log = try PostgresLog.open(at: server)
        let read = try seconds { _ = try log.records().count }
        let all = try seconds { _ = try Machine(address) }
        let changes = saves * objects * 2
        print(
            "\(changes) property changes in \(saves) records: read, checked and decoded in \(read) s, "
                + "a new machine with its tables in \(all) s: \(Int(Double(changes) / all)) a second")
    }

    @Test("how long a record of 100 MB takes")
    func large() throws {
        // What is a million bytes apart, the compressor does not find again.
        let text = String(repeating: LogSamples.noise(1_000_000), count: 100)
        let machine = try Machine(address)
        let save = try seconds { try machine.note(text) }
        var found: [String] = []
        let open = try seconds { found = try Machine(address).texts() }
        #expect(found.map(\.utf8.count) == [text.utf8.count])
        print("a record of 100 MB: saved in \(save) s, brought and read by another machine in \(open) s")
    }

    /// Through `FIRN_FOLLOWERS`, an address of PgBouncer, where the server does not take so many connections;
    /// `FIRN_FOLLOWER_COUNT` says how many.
    @Test("how long many followers take to hear of a record")
    func followers() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["FIRN_FOLLOWER_COUNT"].flatMap { Int($0) } ?? 1000
        let base = environment["FIRN_FOLLOWERS"]
        guard let base, let server = PostgresAddress(address) else {
            print("followers: FIRN_FOLLOWERS names no address for them")
            return
        }
        let log = try PostgresLog.create(at: server, storeID: .random())
        let follower = try #require(PostgresAddress(base + "#" + server.storeName))
        let times = Mutex<[Double]>([])
        let ready = DispatchSemaphore(value: 0)
        let sent = Mutex(ContinuousClock.now)
        let problems = Mutex(0)
        runThreads(count + 1) { thread in
            do {
                if thread == 0 {
                    for _ in 0..<count { ready.wait() }
                    try log.save("one")
                    sent.withLock { $0 = .now }
                    return
                }
                defer { ready.signal() }
                let copy = try PostgresLog.open(at: follower, forWriting: false)
                let (watch, start) = (try copy.watch(), try copy.beginning())
                ready.signal()
                guard try watch.wait(after: .zero) else { return }
                let run = try copy.frames(after: start, sizeMax: 1 << 20)
                let time = sent.withLock { ContinuousClock.now - $0 }.components
                guard run.frames.count == 1 else { return }
                times.withLock { $0.append(Double(time.seconds) + Double(time.attoseconds) * 1e-18) }
            } catch {
                problems.withLock { $0 += 1 }
            }
        }
        let all = times.withLock { $0 }
        print(
            "\(all.count) of \(count) followers have the record: \(percentiles(all)); "
                + "\(problems.withLock { $0 }) failed")
    }
}
