import Firn
import FirnLog
import FirnModel
import FirnStore
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A store with Ada. Bob was saved after it, a backup of before that was put back, and Cid has Bob's number.
@Suite("What is of a history that a backup replaced")
struct OtherHistoryTests {
    private let folders = [try! TemporaryDirectory(), try! TemporaryDirectory()]
    private let coordinator: NSPersistentStoreCoordinator
    /// The token of Bob's transaction, and of Ada's.
    private let lost: NSPersistentHistoryToken
    private let common: NSPersistentHistoryToken

    init() throws {
        let (old, backup) = (folders[0], folders[1])
        let before = try Library.onDisk(old)
        common = try Self.save("Ada", before)
        try before.remove(before.persistentStores[0])
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: old.url.path) {
            try manager.copyItem(at: old.file(name), to: backup.file(name))
        }
        let future = try Library.onDisk(old)
        lost = try Self.save("Bob", future)
        try future.remove(future.persistentStores[0])
        coordinator = try Library.onDisk(backup)
        let token = try Self.save("Cid", coordinator)
        #expect(token.transactionNumbers == lost.transactionNumbers)
    }

    @discardableResult
    private static func save(
        _ name: String, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentHistoryToken {
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
        return try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    /// The code of the error that a request throws, or what it answers.
    private func answer(_ body: () throws -> Any) -> String {
        do { return "\(try body())" } catch { return "\((error as NSError).code)" }
    }

    private func count(after token: NSPersistentHistoryToken) -> String {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.resultType = .count
        return answer {
            (try coordinator.context().execute(request) as? NSPersistentHistoryResult)?.result as? Int ?? -1
        }
    }

    @Test("is not read on from, also behind the end, while the common past is")
    func fetch() throws {
        #expect(count(after: lost) == "134301")
        #expect(count(after: common) == "1")
        #expect(count(after: coordinator.currentPersistentHistoryToken(fromStores: nil)!) == "0")
    }

    @Test("is noticed by an archived token, but not by one of an earlier version, which is a number")
    func archive() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: lost, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(try count(after: #require(copy)) == "134301")
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(lost.transactionNumbers.keys.map { $0 } as NSArray, forKey: "stores")
        archiver.encode(lost.transactionNumbers.values.map { NSNumber(value: $0) } as NSArray, forKey: "records")
        archiver.finishEncoding()
        let old = NSPersistentHistoryToken(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
        #expect(old?.transactionNumbers == lost.transactionNumbers)
        #expect(try count(after: #require(old)) == "0")
    }

    @Test("is not the end of a deletion")
    func deletion() throws {
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: lost)
        #expect(answer { try coordinator.context().execute(request) } == "134301")
        #expect(count(after: common) == "1")
    }

    @Test("is not shown as a past")
    func past() throws {
        #expect(answer { try coordinator.newContext(asOf: .token(lost)) } == "134301")
    }

    @Test("is no query generation, also of an archive")
    func generation() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSQueryGenerationToken(lost), requiringSecureCoding: true)
        let generation = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: data)
        #expect(generation == NSQueryGenerationToken(lost))
        #expect(throws: NSError.self) { try coordinator.context().setQueryGenerationFrom(generation) }
        try coordinator.context().setQueryGenerationFrom(NSQueryGenerationToken(common))
    }

    @Test("has a feed begin with the newest state", .timeLimit(.minutes(1)))
    func feed() async throws {
        var iterator = try coordinator.historyFeed(after: lost).makeAsyncIterator()
        guard case .baseline(let token)? = try await iterator.next() else {
            Issue.record("no baseline")
            return
        }
        #expect(try coordinator.newContext(asOf: .token(token)).strings("Author", "name") == ["Ada", "Cid"])
        try Self.save("Dan", coordinator)
        guard case .transaction(let next)? = try await iterator.next() else {
            Issue.record("no transaction")
            return
        }
        #expect(next.changes?.first?.newValues["name"] as? String == "Dan")
    }

    @Test("has a subscription begin with the newest state, and go on after it", arguments: [0, 5])
    func subscription(_ distance: UInt64) async throws {
        let log = try #require(coordinator.persistentStores[0].historyEngine?.log)
        var position = try #require(lost.positions.values.first)
        position.sequence = SequenceNumber(position.sequence.rawValue + distance)
        try log.store(Subscription(name: "mail", checkpoint: position, date: 1))
        let subscription = try coordinator.historySubscription(named: "mail")
        let (states, state) = AsyncStream<[String]>.makeStream()
        func run() async throws {
            try await subscription.run(
                stopsWhenDelivered: true,
                baseline: { context in
                    let names = try await context.perform { try context.strings("Author", "name") }
                    state.yield(names.sorted())
                },
                { batch in state.yield(batch.compactMap { $0.changes?.first?.newValues["name"] as? String }) })
        }
        try await run()
        #expect(try subscription.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        try Self.save("Dan", coordinator)
        try await run()
        state.finish()
        var found: [[String]] = []
        for await names in states { found.append(names) }
        #expect(found == [["Ada", "Cid"], ["Dan"]])
    }

    @Test("is noticed at the last record that was cut off")
    func baseline() throws {
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        let present = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        try Self.save("Dan", coordinator)
        #expect(count(after: present) == "1")
        #expect(count(after: lost) == "134301")
    }
}
