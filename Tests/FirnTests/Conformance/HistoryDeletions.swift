import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

/// Section (m): what foreign code asks of history.
@Suite("Conformance (m): history")
struct HistoryDeletionConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// Saves by app, app, sync, app.
    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        for (number, author) in ["app", "app", "sync", "app"].enumerated() {
            context.transactionAuthor = author
            _ = context.make("Author", ["name": "\(number)"])
            if number == 1 { _ = context.make("Book", ["title": "Notes"]) }
            try context.save()
        }
    }

    private func transactions() throws -> [NSPersistentHistoryTransaction] {
        let result = try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        return try #require((result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
    }

    private func request(_ predicate: NSPredicate) throws -> NSFetchRequest<any NSFetchRequestResult> {
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.predicate = predicate
        return request
    }

    /// How many transactions the deletion says it deleted.
    private func delete(_ fetch: NSFetchRequest<any NSFetchRequestResult>?) throws -> Int? {
        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 100))
        deletion.fetchRequest = fetch
        deletion.resultType = .count
        let result = try context.execute(deletion) as? NSPersistentHistoryResult
        return (result?.result as? NSNumber)?.intValue
    }

    private func found(_ format: String, _ arguments: any CVarArg...) throws -> [Int64] {
        let fetch = try request(NSPredicate(format: format, argumentArray: arguments))
        let asked = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        asked.resultType = .transactionsOnly
        let result = try context.execute(asked) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction]).map(\.transactionNumber)
    }

    /// [S] Core Data deletes those in the middle too; a log is cut off at its beginning only.
    @Test("m.2 a deletion limited by a fetch request ends before the first transaction that it does not match")
    func limited() throws {
        #expect(try delete(request(NSPredicate(format: "author == 'app'"))) == 2)
        #expect(try transactions().map(\.author) == ["sync", "app"])
    }

    @Test("m.2 a deletion whose fetch request does not match the first transaction deletes nothing")
    func nothing() throws {
        #expect(try delete(request(NSPredicate(format: "author == 'sync'"))) == 0)
        #expect(try transactions().count == 4)
    }

    @Test("m.2 a deletion's fetch limit is the most that it deletes")
    func limit() throws {
        let fetch = try request(NSPredicate(value: true))
        fetch.fetchLimit = 1
        #expect(try delete(fetch) == 1)
        #expect(try transactions().count == 3)
    }

    @Test("m.2 a deletion by a fetch of changes takes transactions of which it matches every change")
    func changes() throws {
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        let author = try #require(coordinator.managedObjectModel.entitiesByName["Author"])
        fetch.predicate = NSPredicate(format: "changedEntity == %@", author)
        #expect(try delete(fetch) == 1)
        #expect(try transactions().count == 3)
    }

    @Test("m.2 a deletion with a predicate that history cannot answer is an error, and deletes nothing")
    func refused() throws {
        let fetch = try request(NSPredicate(format: "name == 'app'"))
        #expect(throws: NSError.self) { try delete(fetch) }
        #expect(try transactions().count == 4)
    }

    /// [AD]
    @Test("m.2 a deletion with the result type count gives the number of transactions without a fetch request too")
    func count() throws { #expect(try delete(nil) == 4) }

    /// [AD] Tokens have an order in a predicate, as their column has on disk.
    @Test("m.14 transactions are found by a token that they come after")
    func tokens() throws {
        let all = try transactions()
        let token = all[1].token
        #expect(try found("token > %@", token) == all[2...].map(\.transactionNumber))
        #expect(try found("token >= %@", token) == all[1...].map(\.transactionNumber))
        #expect(try found("token < %@", token) == [all[0].transactionNumber])
        #expect(try found("token != %@", token).count == 3)
        #expect(try found("token > %@", NSPersistentHistoryToken()).count == 4)
        let current = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(try found("token > %@", current).isEmpty)
    }

    @Test(
        "m.14 a predicate on history compares kinds as a store does",
        arguments: [
            ("transactionNumber > '0'", 4), ("author > 5", 4), ("timestamp > 5", 4), ("author < timestamp", 0),
            ("token > 5", 0), ("bundleID BEGINSWITH nil", 0),
        ])
    func kinds(_ format: String, _ count: Int) throws {
        #expect(try found(format).count == count)
    }

    @Test(
        "m.14 a key that history does not have, or that has no order, is an error",
        arguments: [
            ("name == 'x'", nil), ("author == 'x' OR NOT changedObjectID == nil", nil), ("TRUEPREDICATE", "changes"),
        ] as [(String, String?)])
    func keys(_ format: String, _ key: String?) throws {
        let fetch = try request(NSPredicate(format: format))
        fetch.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        let asked = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        #expect(throws: NSError.self) { try context.execute(asked) }
    }

    /// [AD]
    @Test("m.22 a change reaches its transaction however it was fetched")
    func transaction() throws {
        let asked = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        asked.resultType = .changesOnly
        let result = try context.execute(asked) as? NSPersistentHistoryResult
        let changes = try #require(result?.result as? [NSPersistentHistoryChange])
        #expect(changes.map { $0.transaction?.author } == ["app", "app", "app", "sync", "app"])
        let first = try #require(changes[1].transaction)
        #expect(changes[2].transaction === first)
    }

    @Test("m.22 a transaction and its changes do not retain each other for ever")
    func released() throws {
        weak var known: NSPersistentHistoryTransaction?
        weak var change: NSPersistentHistoryChange?
        do {
            let transaction = try transactions()[0]
            known = transaction
            change = transaction.changes?.first
            #expect(change?.transaction === transaction)
        }
        #expect(known == nil && change == nil)
    }

    /// [S]
    @Test("m.22 a batch request of a child context carries the author and the name of the context at the root")
    func child() throws {
        context.transactionAuthor = "root"
        context.name = "main"
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = context
        child.transactionAuthor = "child"
        child.name = "worker"
        let grandchild = NSManagedObjectContext(.privateQueue)
        grandchild.parent = child
        _ = try grandchild.performAndWait {
            try grandchild.execute(NSBatchInsertRequest(entityName: "Author", objects: [["name": "new"]]))
        }
        let last = try #require(try transactions().last)
        #expect(last.author == "root" && last.contextName == "main")
    }
}
