import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

/// Section (i) of the checklist: fetch requests on history.
@Suite("Conformance (i): history by predicate")
struct HistoryRequestTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let ada: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        context.transactionAuthor = "importer"
        context.name = "one"
        context.transactionMetadata = ["request": "17"]
        ada = context.make("Author", ["name": "Ada", "age": 36])
        try context.save()
        context.transactionAuthor = nil
        context.name = "two"
        context.transactionMetadata = [:]
        ada.setValue("Eve", forKey: "name")
        _ = context.make("Book", ["title": "Notes"])
        try context.save()
        context.delete(ada)
        try context.save()
    }

    private func fetch(
        _ type: NSPersistentHistoryResultType, _ fetch: NSFetchRequest<any NSFetchRequestResult>?
    ) throws -> Any? {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: try #require(fetch))
        request.resultType = type
        return (try context.execute(request) as? NSPersistentHistoryResult)?.result
    }

    private func transactions(_ format: String, _ arguments: any CVarArg...) throws -> [Int64] {
        let request = NSPersistentHistoryTransaction.fetchRequest
        request?.predicate = NSPredicate(format: format, argumentArray: arguments)
        let found = try fetch(.transactionsOnly, request) as? [NSPersistentHistoryTransaction]
        return try #require(found).map(\.transactionNumber)
    }

    private func changes(_ predicate: NSPredicate) throws -> [NSPersistentHistoryChange] {
        let request = NSPersistentHistoryChange.fetchRequest
        request?.predicate = predicate
        return try #require(try fetch(.changesOnly, request) as? [NSPersistentHistoryChange])
    }

    /// [CDP]
    @Test("i. transactions by author, context, process, time, number and token")
    func transactionKeys() throws {
        let all = try transactions("TRUEPREDICATE")
        #expect(all.count == 3)
        #expect(try transactions("author == %@", "importer" as NSString) == [all[0]])
        #expect(try transactions("author == nil") == Array(all[1...]))
        #expect(try transactions("contextName == 'two'") == Array(all[1...]))
        let process = ProcessInfo.processInfo.processName as NSString
        #expect(try transactions("processID == %@ AND bundleID != 'x'", process) == all)
        #expect(try transactions("timestamp > %@", Date.distantPast as NSDate) == all)
        #expect(try transactions("transactionNumber >= %d", Int(all[1])) == Array(all[1...]))
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(try transactions("token == %@", token) == [all[2]])
        #expect(try transactions("metadata.request == '17'") == [all[0]])
    }

    /// [CDP]
    @Test("i. changes by type, object and ID")
    func changeKeys() throws {
        let inserted = try changes(
            NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.insert.rawValue))
        #expect(inserted.map { $0.changedObjectID.entity.name } == ["Author", "Book"])
        let ofAda = try changes(NSPredicate(format: "changedObjectID == %@", inserted[0].changedObjectID))
        #expect(ofAda.map(\.changeType) == [.insert, .update, .delete])
        let one = try changes(NSPredicate(format: "changeID == %lld", ofAda[1].changeID))
        #expect(one.map(\.changedObjectID) == [ofAda[1].changedObjectID])
        let byEntity = try changes(NSPredicate(format: "changedEntity == %@", inserted[1].changedObjectID.entity))
        #expect(byEntity.count == 1)
    }

    @Test("changes by what a property was and became")
    func values() throws {
        let renamed = try changes(NSPredicate(format: "newValues.name == 'Eve' AND oldValues.name == 'Ada'"))
        #expect(renamed.map(\.changeType) == [.update])
    }

    /// [H]
    @Test("i. sort descriptors, limit and offset count; every result type answers")
    func window() throws {
        let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
        request.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try (fetch(.transactionsAndChanges, request) as? [NSPersistentHistoryTransaction])?.count == 1)
        #expect(try fetch(.count, request) as? Int == 1)
        #expect(try fetch(.statusOnly, request) as? Bool == true)
        #expect(try (fetch(.objectIDs, request) as? [NSManagedObjectID])?.count == 2)
        #expect(try (fetch(.changesOnly, request) as? [NSPersistentHistoryChange])?.count == 2)
    }

    @Test("a fetch request for something else is refused")
    func otherEntity() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        #expect(throws: NSError.self) { try fetch(.transactionsOnly, request) }
    }

    @Test("i. an archive of a token with a number that no record has is refused", arguments: [-1, -0x1p63, 1.5, .nan])
    func archivedNumbers(_ number: Double) throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(["store"] as NSArray, forKey: "stores")
        archiver.encode([NSNumber(value: number)] as NSArray, forKey: "records")
        archiver.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(NSPersistentHistoryToken(coder: reader) == nil)
    }

    @Test("the current token is that of the file's last transaction, whichever coordinator saved it")
    func currentOfFile() throws {
        let directory = try TemporaryDirectory()
        let (one, two) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let context = one.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        let token = try #require(two.currentPersistentHistoryToken(fromStores: nil))
        #expect(token == one.currentPersistentHistoryToken(fromStores: nil))
        #expect(token == two.currentPersistentHistoryToken(fromStores: two.persistentStores))
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try two.context().execute(request) as? NSPersistentHistoryResult
        #expect((result?.result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
    }

    /// [CDP]
    @Test("i. a token survives archiving")
    func archiving() throws {
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(copy == token)
    }

    @Test("the transactions of changes that match are found without their changes too")
    func transactionsOfChanges() throws {
        let request = try #require(NSPersistentHistoryChange.fetchRequest)
        request.predicate = NSPredicate(format: "changeType == %d", NSPersistentHistoryChangeType.delete.rawValue)
        let whole = try fetch(.transactionsAndChanges, request) as? [NSPersistentHistoryTransaction]
        let alone = try fetch(.transactionsOnly, request) as? [NSPersistentHistoryTransaction]
        #expect(whole?.count == 1)
        #expect(alone?.map(\.transactionNumber) == whole?.map(\.transactionNumber))
        #expect(alone?.first?.changes == nil)
        // `changes` is among the keys that a predicate may name.
        let transactions = try #require(NSPersistentHistoryTransaction.fetchRequest)
        transactions.predicate = NSPredicate(format: "ANY changes.changeType == %d", 2)
        #expect(try (fetch(.transactionsOnly, transactions) as? [NSPersistentHistoryTransaction])?.count == 1)
    }

    #if compiler(>=6.3)
    @Test("a key that history does not have is an error behind another key too")
    func nestedKey() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            _ = context.make("Author")
            try context.save()
            let request = try #require(NSPersistentHistoryChange.fetchRequest)
            let transactions = try #require(NSPersistentHistoryTransaction.fetchRequest)
            for (request, format) in [
                (request, "transaction.autor == 'importer'"), (transactions, "ANY changes.changeTyp == 2"),
                (transactions, "SUBQUERY(changes, $c, $c.changeTyp == 2).@count > 0"),
            ] {
                request.predicate = NSPredicate(format: format)
                #expect(throws: NSError.self) {
                    try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request))
                }
            }
        }
    }
    #endif
}
