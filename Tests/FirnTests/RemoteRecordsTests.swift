import Firn
import FirnLog
import FirnModel
import FirnStore
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Records of others that a coordinator hears of together")
struct RemoteRecordsTests {
    @Test("are one remote change, with the token of the last of them")
    func token() async throws {
        let directory = try TemporaryDirectory()
        let option = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)]
        let coordinator = try Library.onDisk(directory, options: option)
        let store = try #require(coordinator.persistentStores.first)
        let engine = try #require(store.historyEngine)
        let changes = RemoteChanges(coordinator)
        let header = TransactionHeader(date: 0, id: .random())
        let records = (7...9 as ClosedRange<UInt64>).map { number in
            let changes = ChangeSet(model: engine.modelSequence)
            return LogRecord(sequence: SequenceNumber(number), header: header, body: .changes(changes))
        }
        engine.feed.notify(.records(records))
        #expect(await changes.next()?.token?.transactionNumbers == [store.identifier: 9])
    }

    @Test("leave an object that a context knows before it hears of its record the one with its ID")
    func knownByItsID() throws {
        let directory = try TemporaryDirectory()
        let (mine, theirs) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let (here, there) = (mine.context(), theirs.context())
        _ = here.make("Author", ["name": "Eve"])
        try here.save()
        let ada = there.make("Author", ["name": "Ada"])
        try there.save()
        let id = try #require(mine.managedObjectID(forURIRepresentation: ada.objectID.uriRepresentation()))
        let known = here.object(with: id)
        let bob = here.make("Author", ["name": "Bob"])
        try here.save()
        #expect(here.object(with: id) === known && here.object(with: bob.objectID) === bob)
        #expect(known.value(forKey: "name") as? String == "Ada")
    }

    @Test("and that were trimmed before it did leave no context that follows with what was before them")
    func trimmed() throws {
        let directory = try TemporaryDirectory()
        let (mine, theirs) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let (here, there) = (mine.context(), theirs.context())
        let ada = here.make("Author", ["name": "Ada"])
        try here.save()
        try #require(try there.all("Author").first).setValue("Ann", forKey: "name")
        try there.save()
        try theirs.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        // Whoever is in the middle of a segment may still read what it holds.
        try mine.persistentStores.first?.historyEngine?.log.refreshBeginning()
        // Only now, since it hears of each save at once.
        here.automaticallyMergesChangesFromParent = true
        mine.followRemoteRecords()
        try waitUntil { here.performAndWait { ada.value(forKey: "name") as? String == "Ann" } }
    }
}
