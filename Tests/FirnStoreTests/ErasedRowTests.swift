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
}
