import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Trimmed history")
struct TrimmingTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// Six saves: Ada, Bob, a book of Ada's with a tag, Ada renamed, Bob deleted, Cid.
    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada", "age": 36, "height": Double.nan])
        try context.save()
        let bob = context.make("Author", ["name": "Bob"])
        try context.save()
        let book = context.make("Book", ["title": "Notes", "author": ada])
        book.setValue([context.make("Tag", ["label": "math"])] as Set<NSManagedObject>, forKey: "tags")
        try context.save()
        ada.setValue("Eve", forKey: "name")
        try context.save()
        context.delete(bob)
        try context.save()
        _ = context.make("Author", ["name": "Cid"])
        try context.save()
    }

    private func transactions(
        after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }

    private func delete(before transaction: NSPersistentHistoryTransaction?) throws {
        let result = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transaction))
        #expect((result as? NSPersistentHistoryResult)?.result as? Bool == true)
        #expect((result as? NSPersistentHistoryResult)?.resultType == .statusOnly)
    }

    /// Everything in the tables, as text.
    private func dump() throws -> String {
        try sqlite("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
        + sqlite("SELECT * FROM Author") + sqlite("SELECT * FROM Book") + sqlite("SELECT * FROM Tag")
        + sqlite("SELECT * FROM firn_keys")
    }

    private func sqlite(_ sql: String) throws -> String {
        OpenProjectors.catchUp()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", directory.file("Library.sqlite").path, sql]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// [CDP]
    @Test("i. deleting before a transaction keeps it and all that follow", arguments: 0..<6)
    func strict(_ index: Int) throws {
        let all = try transactions()
        #expect(all.count == 6)
        try delete(before: all[index])
        #expect(try transactions().map(\.transactionNumber) == all[index...].map(\.transactionNumber))
    }

    /// [CDP]
    @Test("i. deleting before nothing, or before the first transaction, deletes nothing")
    func nothing() throws {
        let all = try transactions()
        try delete(before: nil)
        try delete(before: all[0])
        _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[0].timestamp))
        #expect(try transactions().count == 6)
    }

    /// [CDP]
    @Test("i. deleting before a date is strict")
    func date() throws {
        let all = try transactions()
        _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[5].timestamp))
        let left = try transactions()
        #expect(left.last?.transactionNumber == all[5].transactionNumber)
        #expect(left.allSatisfy { $0.timestamp >= all[5].timestamp })
        _ = try context.execute(
            NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 100)))
        #expect(try transactions().isEmpty)
    }

    /// [H]
    @Test("i. a token from before what was deleted is error 134301")
    func expiredToken() throws {
        let all = try transactions()
        try delete(before: all[3])
        let error = #expect(throws: NSError.self) { try transactions(after: all[1].token) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentHistoryTokenExpiredError)
        #expect(try transactions(after: all[2].token).count == 3)
        #expect(try transactions(after: nil).count == 3)
    }

    @Test("objects, keys and versions are the same when the tables are built from a baseline", arguments: 1...6)
    func rebuild(_ count: Int) throws {
        let all = try transactions()
        if count < 6 {
            try delete(before: all[count])
        } else {
            try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        }
        let before = try dump()
        try directory.file("Library.sqlite").discardTables()
        let again = try Library.onDisk(directory)
        #expect(try dump() == before)
        let other = again.context()
        let eve = try #require(try other.all("Author").first { $0.value(forKey: "name") as? String == "Eve" })
        let book = try #require((eve.value(forKey: "books") as? NSOrderedSet)?.firstObject as? NSManagedObject)
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 1)
        let new = other.make("Author", ["name": "Dan"])
        try other.save()
        #expect(new.objectID.uriRepresentation().lastPathComponent == "p4")
    }

    @Test("a point that was deleted is refused, and what is left is shown as it was")
    func asOf() throws {
        let all = try transactions()
        _ = try coordinator.newContext(asOf: .token(all[1].token)).all("Author")
        try delete(before: all[3])
        for point in [
            HistoryPoint.token(all[1].token), .date(all[1].timestamp), .sequence(1), .date(.distantPast),
        ] where point != .date(all[2].timestamp) {
            let error = #expect(throws: NSError.self) { try coordinator.newContext(asOf: point) }
            #expect(error?.code == NSPersistentHistoryTokenExpiredError)
        }
        #expect(
            try coordinator.newContext(asOf: .token(all[2].token)).strings("Author", "name") == ["Ada", "Bob"])
        #expect(
            try coordinator.newContext(asOf: .token(all[4].token)).strings("Author", "name") == ["Eve"])
    }

    @Test("a context that was made for a point, or pinned to it, shows it also after it was deleted")
    func kept() throws {
        let all = try transactions()
        let past = try coordinator.newContext(asOf: .token(all[1].token))
        let pinned = coordinator.context()
        try pinned.setQueryGenerationFrom(NSQueryGenerationToken(all[1].token))
        for context in [past, pinned] { _ = try context.all("Author") }
        try delete(before: all[3])
        // Its file has another one's name now.
        #expect(try coordinator.newContext(asOf: .token(all[4].token)).strings("Author", "name") == ["Eve"])
        for context in [past, pinned] {
            context.reset()
            #expect(try context.strings("Author", "name") == ["Ada", "Bob"])
        }
    }

    @Test("limits of age, number and size")
    func limits() throws {
        try coordinator.trimHistory(keeping: HistoryRetention(ageMax: 3600, transactionCountMax: 100))
        #expect(try transactions().count == 6)
        try coordinator.trimHistory(keeping: HistoryRetention(byteCountMax: 1 << 20))
        #expect(try transactions().count == 6)
        try coordinator.trimHistory(keeping: HistoryRetention(ageMax: 3600, transactionCountMax: 4))
        #expect(try transactions().count == 4)
        try coordinator.trimHistory(keeping: HistoryRetention(byteCountMax: 500))
        #expect((1...3).contains(try transactions().count))
        try coordinator.trimHistory(keeping: HistoryRetention(ageMax: -100))
        #expect(try transactions().isEmpty)
        #expect(try context.strings("Author", "name") == ["Eve", "Cid"])
    }

    @Test("another coordinator whose records were cut off goes on with the present, and its contexts are refreshed")
    func otherCoordinator() async throws {
        let other = try Library.onDisk(directory)
        let follower = other.context()
        follower.automaticallyMergesChangesFromParent = true
        let names: @Sendable () throws -> Set<String> = { try follower.strings("Author", "name") }
        #expect(try await follower.perform(names) == ["Eve", "Cid"])
        _ = context.make("Author", ["name": "Dan"])
        try context.save()
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        try await follower.perform {
            _ = follower.make("Author", ["name": "Fay"])
            try follower.save()
        }
        #expect(try await follower.perform(names) == ["Eve", "Cid", "Dan", "Fay"])
        #expect(try transactions().count == 1)
    }

    @Test("another coordinator trims what is left, by age and number")
    func otherTrims() throws {
        let other = try Library.onDisk(directory)
        // What the other one has open of the log it opens again after an erasure.
        try coordinator.erase(context.all("Author")[0].objectID, property: "age")
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 4))
        try other.trimHistory(keeping: HistoryRetention(ageMax: 3600, transactionCountMax: 2))
        #expect(try transactions().count == 2)
        #expect(try context.strings("Author", "name") == ["Eve", "Cid"])
    }

    @Test("a store in memory is trimmed too")
    func inMemory() throws {
        let memory = try Library.inMemory()
        let context = memory.context()
        for name in ["Ada", "Bob", "Cid"] {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
        try memory.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        #expect(((result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])?.count == 1)
        #expect(try memory.context().strings("Author", "name") == ["Ada", "Bob", "Cid"])
    }
}
