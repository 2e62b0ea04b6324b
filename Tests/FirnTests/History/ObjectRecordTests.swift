import Firn
import FirnInspection
import FirnLog
import FirnModel
import FirnProjection
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// The past of a store, as programs without an engine read it: the service and the tool.
@Suite("The records of objects, from the history file")
struct ObjectRecordTests {
    private func past(_ store: MigratingStore) throws -> (PastStates, SegmentLog) { try past(store.url.path) }

    private func past(_ path: String) throws -> (PastStates, SegmentLog) {
        let log = try SegmentLog.open(directory: path + "-log", forWriting: false)
        return (PastStates(log, .file(path)), log)
    }

    private func books() throws -> MigratingStore {
        let store = try MigratingStore()
        try store.with("Book: title String, pages Integer32") { context in
            let book = context.make("Book", ["title": "Walden", "pages": 300])
            try context.save()
            book.setValue("Walden, 1854", forKey: "title")
            try context.save()
        }
        return store
    }

    @Test("Records and setters are found on both sides of a migration")
    func migrated() throws {
        let store = try books()
        try store.with("Book: title String, pages Integer32, note String") { context in
            try context.all("Book").first?.setValue("lent", forKey: "note")
        }
        let (past, log) = try past(store)
        defer { log.close() }
        #expect(log.head == 5)
        #expect(try past.records(of: "Book", 1, after: 0, through: 5) == [2, 3, 5])
        #expect(try past.records(of: "Book", 1, after: 0, through: 5, limit: 2, newestFirst: true) == [5, 3])
        #expect(try past.records(of: "Book", 1, after: 2, through: 4) == [3])
        let setters = try past.setters(of: "Book", 1, ["title", "pages", "note"], at: 5)
        #expect(setters == ["title": 3, "pages": 2, "note": 5])
        #expect(try past.setters(of: "Book", 1, ["title", "pages"], at: 2) == ["title": 2, "pages": 2])
    }

    @Test("Records that a trim cut off set nothing")
    func trimmed() throws {
        let store = try books()
        let coordinator = try store.coordinator(ModelText.model("Book: title String, pages Integer32"))
        let context = coordinator.context()
        try context.all("Book").first?.setValue(301, forKey: "pages")
        try context.save()
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        let (past, log) = try past(store)
        defer { log.close() }
        #expect(log.baseline == 3 && log.head == 4)
        #expect(try past.records(of: "Book", 1, after: log.baseline, through: 4) == [4])
        #expect(try past.setters(of: "Book", 1, ["title", "pages"], at: 4) == ["pages": 4])
    }

    @Test("An entity or an object that never was has no records")
    func unknown() throws {
        let store = try books()
        let (past, log) = try past(store)
        defer { log.close() }
        #expect(try past.records(of: "Book", 2, after: 0, through: 3) == [])
        #expect(try past.records(of: "Magazine", 1, after: 0, through: 3) == [])
        #expect(try past.setters(of: "Book", 2, ["title"], at: 3) == [:])
    }

    @Test("Where nothing can be written next to the store, the history is in a file without a name")
    func readOnly() throws {
        let store = try books()
        let folder = store.url.deletingLastPathComponent()
        try Permissions.setWritable(false, folder)
        defer { try? Permissions.setWritable(true, folder) }
        try Permissions.withoutPrivileges {
            let (past, log) = try past(store)
            defer { log.close() }
            #expect(try past.records(of: "Book", 1, after: 0, through: 3) == [2, 3])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("-history") })
    }

    @Test("A file that this user may not write is left, and the history is in one without a name")
    func otherUser() throws {
        let store = try books()
        let path = store.url.path + "-history"
        let (past, log) = try past(store)
        defer { log.close() }
        try past.catchUp(through: 2)
        let folder = store.url.deletingLastPathComponent().path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try Permissions.withoutPrivileges {
            let (other, log) = try self.past(store)
            defer { log.close() }
            #expect(try other.records(of: "Book", 1, after: 0, through: 3) == [2, 3])
        }
        let rows = try HistoryQuery(path).count(of: "firn_records")
        #expect(rows == 3)
    }

    @Test("Files that an erasure did not reach give nothing that was erased, of no model", arguments: [2, 4])
    func lagging(point: UInt64) throws {
        let (secret, store) = ("xyzzy-nobody-may-know", try MigratingStore())
        try store.with("Person: name String") { _ = $0.make("Person", ["name": secret]) }
        let model = try ModelText.model("Person: name String, age Integer32")
        try store.with(model) { try $0.all("Person").first?.setValue(7, forKey: "age") }
        try store.with(model) { try $0.all("Person").first?.setValue("Ada", forKey: "name") }
        func names() throws -> [PropertyValue] {
            let (past, log) = try past(store)
            defer { log.close() }
            let (state, schema) = try past.reader(at: SequenceNumber(point))
            let person = try #require(schema.logModel.entities.first).number
            let name = ObjectKey(entity: person, primaryKey: 1)
            let slot = try #require(schema.layout.existingPlace(person).slot(named: "name"))
            return [try state.read { try $0.value(of: name, slot: slot) } ?? .null]
        }
        #expect(try names() == [.text(secret)])
        let folder = store.url.deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.contains("-history") }
        let kept = try files.map { try Data(contentsOf: $0) }
        let coordinator = try store.coordinator(model)
        let person = try #require(try coordinator.context().all("Person").first)
        try coordinator.erase(person.objectID, property: "name")
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for (file, content) in zip(files, kept) { try content.write(to: file) }
        #expect(try names() == [.null])
    }

    @Test("The first search makes the file once more, with its words; from then on all keep them")
    func words() throws {
        let store = try books()
        let (first, log) = try past(store)
        defer { log.close() }
        func hasWords() throws -> Bool {
            (try? HistoryQuery(PastFiles(of: store.url.path).path()).count(of: "firn_words")) != nil
        }
        func found(_ text: String, _ past: PastStates) throws -> [String] {
            try past.texts(TextQuery(text), limit: 10).map(\.value)
        }
        #expect(try first.records(of: "Book", 1, after: 0, through: 3) == [2, 3])
        #expect(try !hasWords())
        let (second, secondLog) = try past(store)
        defer { secondLog.close() }
        #expect(try found("walden", second) == ["Walden, 1854", "Walden"])
        #expect(try hasWords())
        #expect(try first.records(of: "Book", 1, after: 0, through: 3) == [2, 3])
        try store.with("Book: title String, pages Integer32") { context in
            try context.all("Book").first?.setValue("Walden Pond", forKey: "title")
        }
        #expect(try first.records(of: "Book", 1, after: 0, through: 4) == [2, 3, 4])
        #expect(try found("pond", first) == ["Walden Pond"])
        try secondLog.refresh()
        #expect(try found("walden", second) == ["Walden Pond", "Walden", "Walden, 1854"])
        #expect(try hasWords())
    }

    @Test("Readers that make the file at once, while others discard it, all read the whole history")
    func atOnce() throws {
        let store = try books()
        let path = store.url.path
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { reader in
            do {
                for _ in 0..<10 {
                    let (past, log) = try past(path)
                    defer { log.close() }
                    let records = try past.records(of: "Book", 1, after: 0, through: 3)
                    if records != [2, 3] { failures.withLock { $0.append("\(records)") } }
                    if reader < 2 { past.discard() }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
