import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// When `NSPersistentStoreRemoteChange` is posted, and where.
@Suite("Conformance (m): remote changes")
struct RemoteChangeConformanceTests {
    private let directory: TemporaryDirectory
    private static let option: [String: NSNumber] = [
        NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)
    ]

    init() throws { directory = try TemporaryDirectory() }

    @Test("m.9 the remote change of another coordinator's save is not posted within a reader's call")
    func outsideOfReaders() async throws {
        let writer = try Library.onDisk(directory).context()
        let two = try Library.onDisk(directory, options: Self.option)
        let changes = RemoteChanges(two)
        var areWithinCalls: [Bool] = []
        for name in ["Ada", "Bob", "Cy"] {
            _ = writer.make("Author", ["name": name])
            try writer.save()
            CallMark.isSet = true
            _ = try two.context().all("Author")
            CallMark.isSet = false
            areWithinCalls.append(await changes.next()?.isWithinCall ?? true)
        }
        #expect(areWithinCalls == [false, false, false])
    }

    @Test("m.9 a coordinator posts the remote changes of its own saves, each with its token")
    func ownSaves() async throws {
        let coordinator = try Library.onDisk(directory, options: Self.option)
        let changes = RemoteChanges(coordinator)
        let context = coordinator.context()
        var expected: [NSPersistentHistoryToken?] = []
        for name in ["Ada", "Bob"] {
            _ = context.make("Author", ["name": name])
            try context.save()
            expected.append(coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        // A batch request is the last, so that there is an end to wait for.
        _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]]))
        let end = coordinator.currentPersistentHistoryToken(fromStores: nil)
        var tokens: [NSPersistentHistoryToken?] = []
        while tokens.last != end, let change = await changes.next() { tokens.append(change.token) }
        #expect(tokens == expected + [end])
    }

    @Test("m.9 a save that writes nothing posts no remote change")
    func nothingWritten() async throws {
        let coordinator = try Library.onDisk(directory, options: Self.option)
        let changes = RemoteChanges(coordinator)
        let context = coordinator.context()
        context.make("Author").setValue("A.", forKey: "nickname")
        try context.save()
        _ = await changes.next()
        try context.all("Author").first?.setValue("B.", forKey: "nickname")
        try context.save()
        _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]]))
        #expect(await changes.next()?.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    @Test("m.9 a store posts remote changes only if its options ask for them")
    func withoutOption() async throws {
        let quiet = try Library.onDisk(directory)
        let changes = RemoteChanges(quiet)
        let other = try Library.onDisk(directory).context()
        _ = other.make("Author", ["name": "Ada"])
        try other.save()
        let context = quiet.context()
        #expect(try context.all("Author").count == 1)
        _ = context.make("Author", ["name": "Bob"])
        try context.save()
        let loud = try quiet.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Loud.sqlite"), options: Self.option)
        let insertion = NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]])
        insertion.affectedStores = [loud]
        _ = try context.execute(insertion)
        #expect(await changes.next()?.store == loud.identifier)
    }

    /// How many notifications the test waits for: `FIRN_NOTIFICATIONS` sets another number, for figures.
    private static var count: Int {
        ProcessInfo.processInfo.environment["FIRN_NOTIFICATIONS"].flatMap(Int.init) ?? 2_000
    }

    /// A closure that is kept by itself in a mutex gets a layer of stack with each use.
    @Test("m.10 a follower's calls are as deep after thousands of notifications as after the first")
    func depth() throws {
        let writer = try Library.onDisk(directory).context()
        let ada = writer.make("Author", ["name": "Ada"])
        try writer.save()
        let two = try Library.onDisk(directory)
        let follower = DepthMeter(concurrencyType: .privateQueueConcurrencyType)
        follower.persistentStoreCoordinator = two
        follower.automaticallyMergesChangesFromParent = true
        var memory: [Int] = []
        for number in 1...Self.count {
            ada.setValue(number, forKey: "age")
            try writer.save()
            // Has the coordinator notice what others wrote.
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [follower])
            if number % 100 == 0 {
                follower.drain()
                memory.append(DepthMeter.residentSize)
            }
        }
        let growth = follower.growth
        #expect(follower.callCount >= Self.count)
        #expect(growth < 16 << 10, "\(growth) bytes of stack")
        if Self.count >= 100_000 {
            // The first tenth fills caches.
            let memoryGrowth = (memory.last ?? 0) - memory[memory.count / 10]
            #expect(memoryGrowth < 64 << 20, "\(memoryGrowth) bytes of memory")
        }
    }
}

/// Marks the calls of a thread.
private enum CallMark {
    static var isSet: Bool {
        get { Thread.current.threadDictionary["firn.call"] != nil }
        set { Thread.current.threadDictionary["firn.call"] = newValue ? true : nil }
    }
}

/// The remote changes that a coordinator posts, in order.
final class RemoteChanges {
    struct Change: @unchecked Sendable {
        let token: NSPersistentHistoryToken?
        let store: String?
        /// Whether it was posted within a call that was marked.
        let isWithinCall: Bool
    }

    private var iterator: AsyncStream<Change>.Iterator
    private let watch: Watch

    init(_ coordinator: NSPersistentStoreCoordinator) {
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
        iterator = stream.makeAsyncIterator()
        watch = Watch(.NSPersistentStoreRemoteChange, coordinator) { note in
            continuation.yield(
                Change(
                    token: note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken,
                    store: note.userInfo?[NSStoreUUIDKey] as? String, isWithinCall: CallMark.isSet))
        }
    }

    func next() async -> Change? { await iterator.next() }
}

/// A context that notes how deep in its thread's stack it is asked for its parent: who follows is told so of each save.
private final class DepthMeter: NSManagedObjectContext, @unchecked Sendable {
    private let lock = NSLock()
    private var range: [UInt: (least: UInt, most: UInt)] = [:]
    private var calls = 0

    var callCount: Int { lock.withLock { calls } }
    /// The most that the depth grew by on one thread.
    var growth: UInt { lock.withLock { range.values.map { $0.most - $0.least }.max() ?? 0 } }

    override var parent: NSManagedObjectContext? {
        get {
            var mark = 0
            note(withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) })
            return super.parent
        }
        set { super.parent = newValue }
    }

    private func note(_ place: UInt) {
        lock.withLock {
            calls += 1
            let known = range[UInt(pthread_self()), default: (place, place)]
            range[UInt(pthread_self())] = (min(known.least, place), max(known.most, place))
        }
    }

    /// What the process holds, in bytes.
    static var residentSize: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}
