import Firn
import FirnLog
import FirnModel
import FirnStore
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Feeds and subscriptions")
struct DeliveryTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
    }

    private func save(_ names: [String], _ coordinator: NSPersistentStoreCoordinator? = nil) throws {
        let context = (coordinator ?? self.coordinator).context()
        for name in names {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
    }

    private static func name(_ transaction: NSPersistentHistoryTransaction) -> String {
        transaction.changes?.first?.newValues["name"] as? String ?? "?"
    }

    /// The names of the transactions after a token.
    private static func names(
        after token: NSPersistentHistoryToken?, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [String] {
        let result = try coordinator.context().execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        return (transactions ?? []).map(name)
    }

    /// What was delivered, in order.
    private actor Received {
        private(set) var names: [String] = []
        private(set) var sizes: [Int] = []
        private(set) var attempts = 0

        func take(_ names: [String]) { self.names += names }

        func take(_ batch: [NSPersistentHistoryTransaction]) {
            names += batch.map(DeliveryTests.name)
            sizes.append(batch.count)
        }

        func attempt() -> Int {
            attempts += 1
            return attempts
        }
    }

    @Test("a feed gives what there is and what comes, from this coordinator and another, in order")
    func feed() async throws {
        try save(["Ada", "Bob"])
        let feed = try coordinator.historyFeed()
        let other = try Library.onDisk(directory)
        var names: [String] = []
        for try await event in feed {
            guard case .transaction(let transaction) = event else { continue }
            names.append(Self.name(transaction))
            if names.count == 2 { try save(["Cid"]) }
            if names.count == 3 { try save(["Dan", "Eve"], other) }
            if names.count == 5 { break }
        }
        #expect(names == ["Ada", "Bob", "Cid", "Dan", "Eve"])
    }

    @Test("a feed gives what was saved after it looked and before it waited", .timeLimit(.minutes(1)))
    func waiting() async throws {
        let files = LateFileSystem()
        files.watches.close()
        defer { files.watches.open() }
        let here = try Library.onDisk(directory, options: [PersistentStoreFileSystemOption: files])
        let token = here.currentPersistentHistoryToken(fromStores: nil)
        files.interrupt { [coordinator] in
            let context = coordinator.context()
            _ = context.make("Author", ["name": "Ada"])
            try? context.save()
        }
        var iterator = try here.historyFeed(after: token).makeAsyncIterator()
        guard case .transaction(let transaction)? = try await iterator.next() else {
            Issue.record("no transaction")
            return
        }
        #expect(Self.name(transaction) == "Ada")
    }

    @Test("a feed after a record that its log does not have begins with the newest state", .timeLimit(.minutes(1)))
    func beyond() async throws {
        try save(["Ada"])
        let identifier = try #require(coordinator.persistentStores[0].identifier)
        let token = NSPersistentHistoryToken(transactionNumbers: [identifier: 99])
        var iterator = try coordinator.historyFeed(after: token).makeAsyncIterator()
        guard case .baseline(let start)? = try await iterator.next() else {
            Issue.record("no baseline")
            return
        }
        #expect(start == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    @Test("a feed begins after its token, and ends when its task is cancelled")
    func cancellation() async throws {
        try save(["Ada"])
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try save(["Bob"])
        let feed = try coordinator.historyFeed(after: token)
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let task = Task {
            for try await case .transaction(let transaction) in feed { continuation.yield(Self.name(transaction)) }
            continuation.finish()
        }
        var names: [String] = []
        for await name in stream {
            names.append(name)
            task.cancel()
        }
        #expect(names == ["Bob"])
    }

    @Test("a feed ends when its store is removed")
    func removal() async throws {
        try save(["Ada"])
        let feed = try coordinator.historyFeed()
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let task = Task {
            defer { continuation.finish() }
            for try await case .transaction(let transaction) in feed { continuation.yield(Self.name(transaction)) }
        }
        for await _ in stream { for store in coordinator.persistentStores { try coordinator.remove(store) } }
        // Unless it waited already, it finds the log closed.
        _ = await task.result
    }

    @Test("a transaction that another program left to the system is durable before a feed gives it")
    func durability() async throws {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        description.durability = .system
        let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        var failure: (any Error)?
        other.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try save(["Ada"], other)
        var iterator = try coordinator.historyFeed(after: token).makeAsyncIterator()
        guard case .transaction(let transaction)? = try await iterator.next() else {
            Issue.record("no transaction")
            return
        }
        let log = try #require(coordinator.persistentStores.first?.historyEngine?.log)
        #expect(log.durableThrough.rawValue == UInt64(transaction.transactionNumber))
    }

    @Test("a feed that fell behind a deletion is given the baseline, and goes on after it")
    func baseline() async throws {
        try save(["Ada"])
        let old = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try save(["Bob", "Cid"])
        var iterator = try coordinator.historyFeed().makeAsyncIterator()
        guard case .transaction? = try await iterator.next() else {
            Issue.record("no transaction")
            return
        }
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        try save(["Dan"])
        // Whoever is in the middle of a segment may still be given what it holds.
        var tokens: [NSPersistentHistoryToken] = []
        var last = ""
        while last != "Dan", let event = try await iterator.next() {
            switch event {
            case .baseline(let token): tokens.append(token)
            case .transaction(let transaction): last = Self.name(transaction)
            }
        }
        #expect(last == "Dan")
        var late = try coordinator.historyFeed(after: old).makeAsyncIterator()
        guard case .baseline(let token)? = try await late.next() else {
            Issue.record("no baseline")
            return
        }
        #expect(try coordinator.newContext(asOf: .token(token)).strings("Author", "name") == ["Ada", "Bob", "Cid"])
        guard case .transaction(let next)? = try await late.next() else {
            Issue.record("no transaction")
            return
        }
        #expect(Self.name(next) == "Dan")
    }

    @Test("a subscription goes on where it stopped, in batches")
    func subscription() async throws {
        try save(["Ada", "Bob", "Cid", "Dan", "Eve"])
        var options = HistorySubscription.Options()
        options.batchSize = 2
        let received = Received()
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        #expect(try subscription.token == nil)
        try await subscription.run(stopsWhenDelivered: true) { await received.take($0) }
        #expect(await received.names == ["Ada", "Bob", "Cid", "Dan", "Eve"])
        #expect(await received.sizes == [2, 2, 1])
        #expect(try subscription.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        try save(["Fay"])
        let other = try Library.onDisk(directory).historySubscription(named: "mail")
        try await other.run(stopsWhenDelivered: true) { await received.take($0) }
        #expect(await received.names.count == 6)
    }

    @Test("what a handler refuses once is delivered again; what it never takes is set aside, and only that")
    func retries() async throws {
        try save(["Ada", "Bob", "poison", "Cid"])
        var options = HistorySubscription.Options()
        options.attemptsMax = 2
        options.delayMilliseconds = 1
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        let received = Received()
        try await subscription.run(stopsWhenDelivered: true) { batch in
            if batch.contains(where: { Self.name($0) == "poison" }) { throw CocoaError(.fileReadUnknown) }
            await received.take(batch)
        }
        #expect(await received.names == ["Ada", "Bob", "Cid"])
        let letters = try subscription.deadLetters
        #expect(letters.map(\.transactionNumber) == [4])
        #expect(letters.first?.reason.isEmpty == false)
        let all = Received()
        let second = try coordinator.historySubscription(named: "second", options: options)
        try await second.run(stopsWhenDelivered: true) { batch in
            if await all.attempt() == 1 { throw CocoaError(.fileReadUnknown) }
            await all.take(batch)
        }
        #expect(await all.names == ["Ada", "Bob", "poison", "Cid"])
        #expect(try second.deadLetters.isEmpty)
    }

    @Test("transactions that are delivered one by one have all attempts each")
    func attemptsEach() async throws {
        try save(["Ada", "Bob", "Cid"])
        var options = HistorySubscription.Options()
        options.attemptsMax = 2
        options.delayMilliseconds = 1
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        let received = Received()
        try await subscription.run(stopsWhenDelivered: true) { batch in
            // Of each single one the first attempt fails.
            let isRefused = if batch.count > 1 { true } else { await received.attempt() % 2 == 1 }
            if isRefused { throw CocoaError(.fileReadUnknown) }
            await received.take(batch)
        }
        #expect(await received.names == ["Ada", "Bob", "Cid"])
        #expect(try subscription.deadLetters.isEmpty)
    }

    @Test("a subscription sets aside as many transactions as its limit says, and stops at the next one")
    func deadLetterLimit() async throws {
        try save(["poison 1", "Ada", "poison 2", "Bob"])
        var options = HistorySubscription.Options()
        options.attemptsMax = 1
        options.deadLettersMax = 1
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        let received = Received()
        await #expect(throws: NSError.self, "the second refused transaction stops it") {
            try await subscription.run(stopsWhenDelivered: true) { batch in
                if batch.contains(where: { Self.name($0).hasPrefix("poison") }) { throw CocoaError(.fileReadUnknown) }
                await received.take(batch)
            }
        }
        try await subscription.run(stopsWhenDelivered: true) { await received.take($0) }
        #expect(await received.names == ["Ada", "poison 2", "Bob"])
    }

    @Test("a reason that an erasure emptied stays empty when the subscription continues")
    func erasedReason() async throws {
        try save(["Ada", "poison", "Bob"])
        let poison = try #require(coordinator.context().all("Author", sortedBy: "name").last).objectID
        var options = HistorySubscription.Options()
        (options.attemptsMax, options.batchSize) = (1, 1)
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        try await subscription.run(stopsWhenDelivered: true) { [coordinator] batch in
            if batch.contains(where: { Self.name($0) == "poison" }) { throw CocoaError(.fileReadUnknown) }
            if batch.contains(where: { Self.name($0) == "Bob" }) { try coordinator.erase(poison) }
        }
        #expect(try subscription.deadLetters.map(\.reason) == ["erased"])
    }

    @Test("history is not deleted past a subscription, unless told; then it is given the baseline")
    func retention() async throws {
        try save(["Ada", "Bob"])
        let subscription = try coordinator.historySubscription(named: "mail")
        try await subscription.run(stopsWhenDelivered: true) { _ in }
        let seen = try subscription.token
        try save(["Cid", "Dan"])
        #expect(try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0)) == seen)
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0), ignoringSubscriptions: true)
        try save(["Eve"])
        let (baselines, received) = (Received(), Received())
        try await subscription.run(stopsWhenDelivered: true) { context in
            let names = try context.strings("Author", "name")
            #expect(names == ["Ada", "Bob", "Cid", "Dan"])
            // A process that was killed now would find this when it starts again.
            #expect(try subscription.token == seen)
            _ = await baselines.attempt()
        } _: {
            await received.take($0)
        }
        #expect(await baselines.attempts == 1)
        #expect(await received.names == ["Eve"])
        try subscription.remove()
        #expect(try subscription.token == nil)
    }

    @Test("a new subscription is given the baseline of history that was deleted before")
    func newSubscription() async throws {
        try save(["Ada", "Bob"])
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        try save(["Cid"])
        let (states, received) = (Received(), Received())
        try await coordinator.historySubscription(named: "mail").run(stopsWhenDelivered: true) { context in
            await states.take(try context.strings("Author", "name").sorted())
        } _: {
            await received.take($0)
        }
        #expect(await states.names == ["Ada", "Bob"])
        #expect(await received.names == ["Cid"])
    }

    @Test("a place is stored once its batch was delivered: what ends inside of the handler gets it again")
    func placeAfterDelivery() async throws {
        try save(["Ada", "Bob", "Cid"])
        var options = HistorySubscription.Options()
        options.batchSize = 2
        let subscription = try coordinator.historySubscription(named: "mail", options: options)
        let received = Received()
        let stored = Received()
        let task = Task {
            try await subscription.run(stopsWhenDelivered: true) { [coordinator] batch in
                await received.take(batch)
                // A process that was killed now would find this when it starts again.
                let names = try Self.names(after: subscription.token, coordinator)
                await stored.take(names)
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
        }
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(await received.names == ["Ada", "Bob"])
        #expect(await stored.names == ["Ada", "Bob", "Cid"])
        let again = Received()
        try await subscription.run(stopsWhenDelivered: true) { await again.take($0) }
        #expect(await again.names == ["Ada", "Bob", "Cid"])
    }

    @Test("a subscription moves past records that hold no transaction, so that they can be trimmed")
    func recordsWithoutTransactions() async throws {
        let subscription = try coordinator.historySubscription(named: "mail")
        let received = Received()
        try await subscription.run(stopsWhenDelivered: true) { await received.take($0) }
        #expect(await received.names.isEmpty)
        // The log begins with its model.
        #expect(try subscription.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    @Test("one reader at a time delivers for a subscription")
    func lease() async throws {
        try save(["Ada"])
        let subscription = try coordinator.historySubscription(named: "mail")
        try await subscription.run(stopsWhenDelivered: true) { _ in
            await #expect(throws: (any Error).self) {
                try await subscription.run(stopsWhenDelivered: true) { _ in }
            }
        }
    }
}
