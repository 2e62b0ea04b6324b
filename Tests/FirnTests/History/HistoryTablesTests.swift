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

/// The file with the history as tables, next to a store, read as any other program reads it.
@Suite("History tables")
struct HistoryTablesTests {
    private static let secret = "xyzzy-nobody-may-know"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.file("Library.sqlite").path }

    private func coordinator(_ tables: HistoryTables) throws -> NSPersistentStoreCoordinator {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        description.historyTables = tables
        return try Library.onDisk(directory, options: description.options)
    }

    /// Closes the stores, which ends what brings their tables up to date.
    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func rows(_ sql: String, _ file: String = "-history") throws -> [String] {
        var rows: [String] = []
        try HistoryQuery(path + file).run(sql, columns: { _ in }) { values in
            rows.append(values.map { Self.words($0) }.joined(separator: "|"))
            return true
        }
        return rows
    }

    private static func words(_ value: PropertyValue) -> String {
        switch value {
        case .null, .reference: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value
        case .blob(let bytes): "\(bytes)"
        }
    }

    /// The files of the store's folder that have the secret.
    private func traces() throws -> [String] {
        let files = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
            .filter { try Data(contentsOf: $0).range(of: Data(Self.secret.utf8)) != nil }.map(\.lastPathComponent)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path) }
    }

    @Test("A store that always has history tables keeps them in step with its saves")
    func always() throws {
        let coordinator = try coordinator(.always)
        let context = coordinator.context()
        context.transactionAuthor = "ann"
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setValue("Ann", forKey: "name")
        try context.save()
        try close(coordinator)
        #expect(
            try rows("SELECT from_record, to_record, set_by, name FROM Author_history")
                == ["2|3|ann|Ada", "3|NULL|ann|Ann"])
        #expect(try rows("SELECT checkpoint FROM firn_store") == ["3"])
    }

    @Test("A store that never has history tables reads the past all the same, and leaves no file")
    func never() throws {
        let coordinator = try coordinator(.never)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setValue("Ann", forKey: "name")
        try context.save()
        let past = try coordinator.newContext(asOf: .sequence(2))
        #expect(try past.performAndWait { try past.strings("Author", "name") } == ["Ada"])
        #expect(try names.filter { $0.contains("-history") } == [])
    }

    @Test("History tables of before are there when the past is first read, and not before", arguments: [false, true])
    func onUse(isRead: Bool) throws {
        let coordinator = try coordinator(.onUse)
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        if isRead {
            let past = try coordinator.newContext(asOf: .sequence(2))
            #expect(try past.performAndWait { try past.strings("Author", "name") } == ["Ada"])
        }
        try close(coordinator)
        #expect(try names.contains("Library.sqlite-history") == isRead)
    }

    @Test("They begin where the log does, also if a program died that had trimmed it and was about to remove them")
    func trimmedElsewhere() throws {
        let coordinator = try coordinator(.onUse)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setValue("Ann", forKey: "name")
        try context.save()
        _ = try coordinator.newContext(asOf: .sequence(2))
        #expect(try rows("SELECT from_record, name FROM Author_history") == ["2|Ada", "3|Ann"])
        let engine = try #require(coordinator.persistentStores.first?.historyEngine)
        let log = try SegmentLog.open(directory: path + "-log", forWriting: true)
        try engine.read { tables in
            try LogMaintenance(log).trim(through: 3) { try tables.baseline(model: engine.modelSequence, $0) }
        }
        log.close()
        _ = try coordinator.newContext(asOf: .sequence(3))
        #expect(try rows("SELECT from_record, name FROM Author_history") == ["3|Ann"])
    }

    @Test("They are made again where their store was put back from a backup", arguments: [["Bob"], ["Bob", "Dan"]])
    func putBack(_ lost: [String]) throws {
        let (manager, backup) = (FileManager.default, try TemporaryDirectory())
        func save(_ name: String) throws {
            let coordinator = try coordinator(.always)
            let context = coordinator.context()
            _ = context.make("Author", ["name": name])
            try context.save()
            try close(coordinator)
        }
        try save("Ada")
        let kept = try names.filter { !$0.contains("-history") }
        for name in kept { try manager.copyItem(at: directory.file(name), to: backup.file(name)) }
        for name in lost { try save(name) }
        for name in try names where !name.contains("-history") { try manager.removeItem(at: directory.file(name)) }
        for name in kept { try manager.copyItem(at: backup.file(name), to: directory.file(name)) }
        try save("Cid")
        #expect(try rows("SELECT name FROM Author_now ORDER BY name") == ["Ada", "Cid"])
    }

    @Test("An erased value is in no file of the folder, and the history tables that follow are without it")
    func erased() throws {
        let coordinator = try coordinator(.always)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": Self.secret, "age": 36])
        try context.save()
        ada.setValue("Ada", forKey: "name")
        try context.save()
        let past = try coordinator.newContext(asOf: .sequence(2))
        #expect(try past.performAndWait { try past.strings("Author", "name") } == [Self.secret])
        #expect(try !traces().isEmpty)
        try coordinator.erase(ada.objectID, property: "name")
        try close(coordinator)
        #expect(try traces() == [])
        let counts = "SELECT count(name), min(age), max(age), min(from_record), count(*) FROM Author_history"
        #expect(try rows(counts) == ["0|36|36|2|3"])
    }

    @Test("A file that an erasure did not reach is made again when it meets the erasure's record")
    func unreached() throws {
        let coordinator = try coordinator(.onUse)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": Self.secret, "age": 36])
        try context.save()
        ada.setValue("Ada", forKey: "name")
        try context.save()
        _ = try coordinator.newContext(asOf: .sequence(2)).all("Author")
        let files = ["-history", "-history-wal"].map { URL(fileURLWithPath: path + $0) }
        let saved = try files.map { try Data(contentsOf: $0) }
        try coordinator.erase(ada.objectID, property: "name")
        try close(coordinator)
        // As after a process that ended before it removed the file.
        for (file, data) in zip(files, saved) { try data.write(to: file) }
        #expect(try !traces().isEmpty)
        try close(self.coordinator(.always))
        #expect(try traces() == [])
    }

    @Test("After a trim, the history tables begin with the baseline, and say what was before")
    func trimmed() throws {
        let coordinator = try coordinator(.always)
        let context = coordinator.context()
        context.transactionAuthor = "ann"
        let ada = context.make("Author", ["name": "Ada"])
        _ = context.make("Author", ["name": "Eve"])
        try context.save()
        for name in ["Ann", "Amy", "Abe"] {
            ada.setValue(name, forKey: "name")
            try context.save()
        }
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        try close(coordinator)
        #expect(
            try rows("SELECT number, kind, author FROM firn_records") == ["4|baseline|NULL", "5|changes|ann"])
        let versions = "SELECT name, from_record, to_record, set_by FROM Author_history"
        #expect(try rows(versions).sorted() == ["Abe|5|NULL|ann", "Amy|4|5|NULL", "Eve|2|NULL|NULL"])
        #expect(try rows("SELECT record, property, old, new FROM firn_changes") == ["5|name|Amy|Abe"])
        let texts = "SELECT value, from_record, to_record FROM firn_texts WHERE text MATCH 'abe OR amy OR ann OR eve'"
        #expect(try rows(texts).sorted() == ["Abe|5|NULL", "Amy|4|5", "Eve|2|NULL"])
    }

    @Test("A trimmed store keeps its history tables when it is opened again")
    func keptAfterTrim() throws {
        let coordinator = try coordinator(.always)
        let context = coordinator.context()
        for number in 0..<4 {
            _ = context.make("Author", ["name": "\(number)"])
            try context.save()
        }
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 1))
        try close(coordinator)
        let file = try FileManager.default.attributesOfItem(atPath: path + "-history")[.systemFileNumber] as? Int
        try close(self.coordinator(.always))
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-history")[.systemFileNumber] as? Int == file)
    }

    @Test("After a migration, the file is in the new terms with all records, and another one in the old terms")
    func migrated() throws {
        let store = try MigratingStore()
        try store.with("Person: name String") { context in
            context.transactionAuthor = "ann"
            _ = context.make("Person", ["name": "Ada"])
        }
        try store.with("Human was Person: fullName String was name") { context in
            context.transactionAuthor = "bob"
            try context.all("Human").first?.setValue("Ann", forKey: "fullName")
        }
        let log = try SegmentLog.open(directory: store.url.path + "-log", forWriting: false)
        defer { log.close() }
        let past = PastStates(log, .file(store.url.path))
        func rows(_ sql: String, at sequence: SequenceNumber) throws -> [String] {
            let file = try past.historyFile(at: sequence)
            var rows: [String] = []
            try HistoryQuery(file.path).run(sql, columns: { _ in }) { values in
                rows.append(values.map { Self.words($0) }.joined(separator: "|"))
                return true
            }
            return rows
        }
        let columns = "from_record, to_record, set_by"
        #expect(
            try rows("SELECT \(columns), fullName FROM Human_history", at: log.head)
                == ["2|4|ann|Ada", "4|NULL|bob|Ann"])
        #expect(try rows("SELECT record, old, new FROM firn_changes", at: log.head) == ["4|Ada|Ann"])
        #expect(
            try rows("SELECT number, kind FROM firn_records", at: log.head)
                == ["1|model", "2|changes", "3|migration", "4|changes"])
        #expect(try rows("SELECT \(columns), name FROM Person_history", at: 2) == ["2|NULL|ann|Ada"])
        let texts = try past.texts(TextQuery("ada"), limit: 9).map {
            "\($0.entity).\($0.property) \($0.value) \($0.start) \($0.end ?? 0) \($0.author ?? "")"
        }
        #expect(texts == ["Human.fullName Ada 2 4 ann"])
        let names = try FileManager.default.contentsOfDirectory(atPath: store.url.deletingLastPathComponent().path)
        #expect(names.filter { $0.hasSuffix("-history") || $0.hasSuffix("-history-1") }.count == 2)
    }

    @Test("Progress in making the history is reported for each record, up to the last")
    func progress() throws {
        let coordinator = try coordinator(.never)
        let context = coordinator.context()
        for name in ["Ada", "Eve"] {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
        try close(coordinator)
        let log = try SegmentLog.open(directory: path + "-log", forWriting: false)
        defer { log.close() }
        let steps = Mutex<[[UInt64]]>([])
        let past = PastStates(log, .file(path)) { done, end in
            steps.withLock { $0.append([done.rawValue, end.rawValue]) }
        }
        try past.catchUp(through: log.head)
        #expect(steps.withLock { $0 } == [[1, 3], [2, 3], [3, 3]])
        try past.catchUp(through: log.head)
        #expect(steps.withLock { $0.count } == 3)
    }

    @Test("An option that is no kind of history tables is refused")
    func refused() throws {
        #expect(throws: NSError.self) {
            try Library.onDisk(directory, options: [PersistentStoreHistoryTablesOption: "sometimes"])
        }
    }
}
