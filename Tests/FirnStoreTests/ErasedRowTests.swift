import FirnLog
import FirnProjection
import FirnStore
import Foundation
import TestSupport
import Testing

@Suite("The tables after an erasure")
struct ErasedRowTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let store: PlainStore

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/Notes.sqlite"
        store = try PlainStore(path)
        #expect(store.commit(try store.insertion(["kept", "xyzzy"])) == .committed)
    }

    private func erase(_ key: Int64, slots: [UInt16] = []) throws {
        let note = ObjectKey(entity: EntityNumber(1), primaryKey: key)
        #expect(try store.engine.erase(note, slots: slots, TransactionHeader(date: 0, id: .random())) > 0)
    }

    /// Erases all of an object as a process does that is killed before it comes to the tables.
    private func eraseAndDie(_ key: Int64) throws {
        let log = try SegmentLog.open(directory: path + "-log", forWriting: true)
        defer { log.close() }
        let note = ObjectKey(entity: EntityNumber(1), primaryKey: key)
        try LogMaintenance(log).erase(
            Erasure(model: store.engine.modelSequence, object: note, slots: []),
            header: TransactionHeader(date: 0, id: .random()))
    }

    private func hasValue() -> Bool {
        ["", "-wal"].contains { suffix in
            let file = try? Data(contentsOf: URL(fileURLWithPath: path + suffix))
            return file?.range(of: Data("xyzzy".utf8)) != nil
        }
    }

    @Test("have the other rows, and those that come next")
    func others() throws {
        #expect(store.commit(try store.deletion(2)) == .committed)
        try erase(2)
        #expect(!hasValue())
        #expect(try store.titles() == [1: "kept"])
        #expect(store.commit(try store.insertion("next")) == .committed)
        #expect(try store.titles() == [1: "kept", 3: "next"])
    }

    @Test("have no value of an object that is there although all of it is erased, as the log says")
    func present() throws {
        try erase(2)
        #expect(!hasValue())
        let found = try store.titles()
        try store.engine.projection.rebuild(from: store.engine.log)
        #expect(try store.titles() == found)
    }

    @Test("have no value of an erasure that was killed, when another one is made")
    func killed() throws {
        #expect(store.commit(try store.deletion(1)) == .committed)
        try eraseAndDie(2)
        try erase(1)
        #expect(!hasValue())
    }

    @Test("are made from the log where they are damaged")
    func damaged() throws {
        #expect(store.commit(try store.deletion(2)) == .committed)
        store.engine.close()
        let opened = try PlainStore(path)
        // The first page says whose file it is.
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: size - 4_096))
        try file.close()
        let note = ObjectKey(entity: EntityNumber(1), primaryKey: 2)
        #expect(try opened.engine.erase(note, slots: [], TransactionHeader(date: 0, id: .random())) > 0)
        #expect(try opened.titles() == [1: "kept"])
    }
}
