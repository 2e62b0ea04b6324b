import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Erased objects and properties")
struct ErasingTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let ada: NSManagedObject

    private static let name = "Augusta Ada Nobody-May-Know " + String(repeating: "xyzzy ", count: 40)

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
        ada = context.make("Author", ["name": Self.name, "age": 36])
        _ = context.make("Book", ["title": "Notes", "author": ada])
        try context.save()
        ada.setValue(Self.name + "II", forKey: "name")
        try context.save()
        ada.setValue("A", forKey: "name")
        try context.save()
        ada.setValue(Self.name, forKey: "name")
        for index in 0..<20 { _ = context.make("Author", ["name": "other \(index)"]) }
        try context.save()
    }

    /// Files of the store that have the value in them, and records that say it.
    private func traces() throws -> [String] {
        var found: [String] = []
        let files = FileManager.default.enumerator(at: directory.url, includingPropertiesForKeys: nil)
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            let data = try Data(contentsOf: file)
            if data.range(of: Data("Nobody-May-Know".utf8)) != nil || data.range(of: Data("xyzzy".utf8)) != nil {
                found.append(file.lastPathComponent)
            }
        }
        let log = try SegmentLog.open(directory: directory.file("Library.sqlite-log").path, forWriting: false)
        let replay = try log.replay()
        while let record = try replay.next() {
            if record.texts.joined().contains("Nobody-May-Know") { found.append("record \(record.sequence)") }
        }
        return found
    }

    @Test("are in no file of the store: log, tables, their write-ahead log, versions of rows")
    func everywhere() throws {
        let past = try coordinator.newContext(asOf: .sequence(2))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(try past.performAndWait { try past.count(for: request) } == 1)
        #expect(try traces().count > 4)
        #expect(try coordinator.erase(ada.objectID) == 5)
        #expect(try traces() == [])
    }

    @Test("of a property leave the object and the rest of its values, now and then")
    func property() throws {
        #expect(try coordinator.erase(ada.objectID, property: "name") == 5)
        #expect(try traces() == [])
        context.refreshAllObjects()
        #expect(ada.value(forKey: "name") == nil && ada.value(forKey: "age") as? Int == 36)
        let past = try coordinator.newContext(asOf: .sequence(2))
        try past.performAndWait {
            let then = try past.existingObject(with: ada.objectID)
            #expect(then.value(forKey: "name") == nil && then.value(forKey: "age") as? Int == 36)
        }
    }

    @Test("go after a trim from the baseline too")
    func trimmed() throws {
        try coordinator.trimHistory(keeping: HistoryRetention(transactionCountMax: 0))
        #expect(try coordinator.erase(ada.objectID, property: "name") == 1)
        #expect(try traces() == [])
    }

    @Test("go also when the object was deleted before")
    func deleted() throws {
        context.delete(ada)
        try context.save()
        #expect(try coordinator.erase(ada.objectID) == 5)
        #expect(try traces() == [])
    }

    @Test("are erased by whoever opens the store, if the process ended meanwhile")
    func interrupted() throws {
        let id = ada.objectID
        let store = try #require(coordinator.persistentStores.first)
        // A reader brings the tables up to date.
        #expect(try coordinator.context().strings("Author", "name").contains(Self.name))
        ada.setValue(nil, forKey: "name")
        try context.save()
        // What a process leaves behind that ends right after the log was rewritten: its tables are not closed.
        let tables = try ["Library.sqlite", "Library.sqlite-wal"].map { name in
            (file: directory.file(name), contents: try Data(contentsOf: directory.file(name)))
        }
        try coordinator.remove(store)
        for (file, contents) in tables { try contents.write(to: file) }
        // Which tables were closed it did not note either.
        try FileManager.default.removeItem(at: directory.file("Library.sqlite-log/tables"))
        let log = try SegmentLog.open(directory: directory.file("Library.sqlite-log").path, forWriting: true)
        let (model, described) = try #require(try log.currentModel)
        let author = try #require(described.entities.first { $0.name == "Author" })
        let slot = UInt16(try #require(author.properties.firstIndex { $0.name == "name" }))
        let key = try #require(Int64(id.uriRepresentation().lastPathComponent.dropFirst()))
        try LogMaintenance(log).erase(
            Erasure(model: model, object: ObjectKey(entity: author.number, primaryKey: key), slots: [slot]),
            header: TransactionHeader(date: 0, id: .random()))
        log.close()
        #expect(try traces() != [])
        _ = try Library.onDisk(directory)
        #expect(try traces() == [])
        let opened = try SegmentLog.open(directory: directory.file("Library.sqlite-log").path, forWriting: false)
        #expect(try LogMaintenance(opened).pendingErasure == nil && LogMaintenance(opened).verify().isSound)
    }

    @Test("of a to-many relationship, or of another store, are refused with a reason")
    func refused() throws {
        #expect(throws: NSError.self) { try coordinator.erase(ada.objectID, property: "books") }
        #expect(throws: NSError.self) { try coordinator.erase(ada.objectID, property: "nothing") }
        let other = try Library.onDisk(try TemporaryDirectory())
        #expect(throws: NSError.self) { try other.erase(ada.objectID) }
    }
}

extension LogRecord {
    /// All texts that the record, or the part of a baseline, has.
    fileprivate var texts: [String] {
        switch body {
        case .changes(let changes), .baseline(.rows(let changes, _)): changes.texts
        case .model(let model): model.migration?.rows?.texts ?? []
        default: []
        }
    }
}

extension ChangeSet {
    fileprivate var texts: [String] {
        groups.flatMap { $0.new + $0.old }.flatMap { column in
            (0..<column.count).compactMap { if case .text(let text) = column[$0] { text } else { nil } }
        }
    }
}
