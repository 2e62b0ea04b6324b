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
}
