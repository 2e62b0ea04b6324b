import FirnLog
import FirnProjection
import FirnStore
import Foundation
import TestSupport
import Testing

@Suite("A store that is closed")
struct ClosedStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("has all rows in its one file, also if another thread was reading them")
    func readMeanwhile() throws {
        let path = directory.path + "/Notes.sqlite"
        let store = try PlainStore(path)
        #expect(store.commit(try store.insertion("one")) == .committed)
        let (reading, closing) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.engine.feed.subscribe { if case .end = $0 { closing.signal() } }
        let reader = DispatchGroup()
        reader.enter()
        Thread.detachNewThread {
            defer { reader.leave() }
            try? store.engine.read { tables in
                reading.signal()
                closing.wait()
                // A close that does not wait is faster than these.
                for _ in 1...500 { _ = try tables.checkpoint }
            }
        }
        reading.wait()
        store.engine.close()
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(size == 0)
        try reader.waitForAll()
    }

    @Test("has its metadata in its file, also if the tables were written again for an erasure")
    func metadata() throws {
        let path = directory.path + "/Notes.sqlite"
        let store = try PlainStore(path)
        #expect(store.commit(try store.insertion("one")) == .committed)
        try store.engine.projection.store(metadata: [1, 2, 3])
        #expect(store.commit(try store.deletion(1)) == .committed)
        let note = ObjectKey(entity: EntityNumber(1), primaryKey: 1)
        _ = try store.engine.erase(note, slots: [], TransactionHeader(date: 0, id: .random()))
        store.engine.close()
        #expect(DetachedTables(path: path)?.metadata == [1, 2, 3])
    }

    @Test("says in its tables that its last record is durable, though they had it before it was")
    func durable() throws {
        let path = directory.path + "/Notes.sqlite"
        let files = GatedFileSystem()
        let store = try PlainStore(path, on: files)
        let savers = try Savers(store, files, [store.insertion("one")])
        #expect(try store.titles() == [1: "one"])
        files.syncs.open()
        #expect(try savers.outcomes() == [.committed])
        let head = store.engine.log.head
        store.engine.close()
        let known = ProjectionMark.durable(
            path: path, logDirectory: store.engine.log.directory, fileSystem: files)
        #expect(known == head)
    }
}
