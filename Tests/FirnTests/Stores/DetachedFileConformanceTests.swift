import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: files that were moved or copied without their logs")
struct DetachedFileConformanceTests {
    let directory: TemporaryDirectory
    private var url: URL { directory.file("Library.sqlite") }
    private var copy: URL { directory.file("Copy.sqlite") }

    /// Ada with a book, and Bob, in three saves.
    init() throws {
        directory = try TemporaryDirectory()
        let coordinator = try Self.coordinator(directory.file("Library.sqlite"))
        let store = try #require(coordinator.persistentStores.first)
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada", "age": 36])
        try context.save()
        ada.setValue(NSOrderedSet(array: [context.make("Book", ["title": "Notes"])]), forKey: "books")
        try context.save()
        _ = context.make("Author", ["name": "Bob"])
        var metadata = store.metadata ?? [:]
        metadata["edition"] = "second"
        coordinator.setMetadata(metadata, for: store)
        try context.save()
        try coordinator.remove(store)
    }

    private static func coordinator(
        _ url: URL, _ options: [AnyHashable: Any] = [:], model: NSManagedObjectModel = Library.model()
    ) throws -> NSPersistentStoreCoordinator {
        StoresOnServer.begin
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    /// Opens the store, returns the names of its authors, and closes it.
    private static func names(_ url: URL, _ options: [AnyHashable: Any] = [:]) throws -> Set<String> {
        let coordinator = try coordinator(url, options)
        let names = try coordinator.context().strings("Author", "name")
        try coordinator.remove(coordinator.persistentStores[0])
        return names
    }

    private static func save(_ name: String, in url: URL) throws {
        let coordinator = try coordinator(url)
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
    }

    private func copyFile() throws { try FileManager.default.copyItem(at: url, to: copy) }

    /// The logs that were set aside of the copy.
    private var kept: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasPrefix("Copy.sqlite.") && $0.hasSuffix("Z-log") }
    }

    @Test("m.24b a copied file has the rows, keys, relationships and UUID of its store")
    func copied() throws {
        try copyFile()
        let (old, new) = (try Self.coordinator(url), try Self.coordinator(copy))
        #expect(new.persistentStores[0].identifier == old.persistentStores[0].identifier)
        let oldContext = old.context()
        let ada = try #require(oldContext.all("Author").first { $0.value(forKey: "name") as? String == "Ada" })
        let id = try #require(new.managedObjectID(forURIRepresentation: ada.objectID.uriRepresentation()))
        let context = new.context()
        let same = context.object(with: id)
        #expect(same.value(forKey: "age") as? Int == 36)
        let books = (same.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject]
        #expect(books?.compactMap { $0.value(forKey: "title") as? String } == ["Notes"])
        #expect(try context.strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("m.24b a moved file goes on: it is saved to, opened again, verified and rebuilt")
    func moved() throws {
        try FileManager.default.moveItem(at: url, to: copy)
        try Self.save("Cid", in: copy)
        #expect(try Self.names(copy) == ["Ada", "Bob", "Cid"])
        try copy.discardTables()
        #expect(try Self.names(copy) == ["Ada", "Bob", "Cid"])
        #expect(kept.isEmpty)
    }

    @Test("m.24b a copy and its original are two stores")
    func apart() throws {
        try copyFile()
        try Self.save("Cid", in: copy)
        try Self.save("Dan", in: url)
        #expect(try Self.names(url) == ["Ada", "Bob", "Dan"])
        #expect(try Self.names(copy) == ["Ada", "Bob", "Cid"])
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("m.24b a link to a store's file is not opened as another store, and that stays", arguments: [true, false])
    func otherName(isSymbolic: Bool) throws {
        if isSymbolic {
            try FileManager.default.createSymbolicLink(at: copy, withDestinationURL: url)
        } else {
            try FileManager.default.linkItem(at: url, to: copy)
        }
        let error = #expect(throws: NSError.self) { try Self.save("Cid", in: copy) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-log"))
        #expect(try Self.names(url) == ["Ada", "Bob"])
    }

    @Test("m.24b standard error says that the history stayed behind")
    func said() async throws {
        try copyFile()
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = copy.path as String] in
            for _ in 0..<2 { _ = try Self.names(URL(fileURLWithPath: path)) }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Firn: ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("its history stayed behind") == true)
        #expect(lines.first?.contains(copy.path) == true)
    }
    #endif

    @Test("m.24b a file without its log has no history, and a token from before says that it is gone")
    func history() throws {
        let original = try Self.coordinator(url)
        let context = original.context()
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(all) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        try original.remove(original.persistentStores[0])
        try copyFile()
        let new = try Self.coordinator(copy).context()
        let none = try new.execute(all) as? NSPersistentHistoryResult
        #expect((none?.result as? [NSPersistentHistoryTransaction])?.isEmpty == true)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: transactions[0].token)
        let error = #expect(throws: NSError.self) { _ = try new.execute(request) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }

    @Test("m.24b metadata comes with the file, and is read without opening it")
    func metadata() throws {
        try copyFile()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: copy)
        #expect(read["edition"] as? String == "second")
        #expect(Library.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: read))
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-log"))
        #expect(try Self.coordinator(copy).persistentStores[0].metadata["edition"] as? String == "second")
    }

    @Test("m.24b a file without its log is not opened, if the options say to refuse")
    func refuse() throws {
        try copyFile()
        let refusing = [PersistentStoreMissingLogOption: MissingLog.refuse.rawValue]
        let error = #expect(throws: NSError.self) { _ = try Self.names(copy, refusing) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(error?.localizedDescription.contains("missingLog") == true)
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-log"))
        #expect(try Self.names(copy) == ["Ada", "Bob"])
        #expect(try Self.names(copy, refusing) == ["Ada", "Bob"])
    }

    @Test("m.24b a file that was shipped without its log is read without a byte being written")
    func readOnly() throws {
        try copyFile()
        let before = try Data(contentsOf: copy)
        #expect(try Self.names(copy, [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]) == ["Ada", "Bob"])
        #expect(try Data(contentsOf: copy) == before)
        #expect(!FileManager.default.fileExists(atPath: copy.path + "-log"))
    }

    @Test("m.24b a shipped file takes the place of a store, and a store that was opened from it is migrated")
    func seeds() throws {
        try copyFile()
        let place = directory.file("Place.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.replacePersistentStore(at: place, withPersistentStoreFrom: copy, type: .sqlite)
        #expect(try Self.names(place) == ["Ada", "Bob"])
        let seed = try Self.coordinator(copy, [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        let other = directory.file("Other.sqlite")
        let store = try seed.migratePersistentStore(seed.persistentStores[0], to: other, type: .sqlite)
        try seed.remove(store)
        #expect(try Self.names(other) == ["Ada", "Bob"])
    }

    @Test("m.24b a file that takes the place of another store's is the store, and the other's log is set aside")
    func otherStore() throws {
        try Self.save("Eve", in: copy)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
        try copyFile()
        #expect(try Self.names(copy) == ["Ada", "Bob"])
        #expect(kept.count == 1)
        let old = directory.file(String(try #require(kept.first).dropLast(4)))
        #expect(try Self.names(old, [PersistentStoreMissingTablesOption: "rebuild"]) == ["Eve"])
    }

    @Test("m.24b an older copy of the file that is put back is the store, and the newer log is set aside")
    func olderCopy() throws {
        try copyFile()
        try Self.save("Cid", in: url)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        try FileManager.default.copyItem(at: copy, to: url)
        #expect(try Self.names(url) == ["Ada", "Bob"])
        try Self.save("Dan", in: url)
        #expect(try Self.names(url) == ["Ada", "Bob", "Dan"])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.count { $0.hasPrefix("Library.sqlite.") && $0.hasSuffix("Z-log") } == 1)
    }

    @Test("m.24b a shipped file may be put back again and again")
    func seededAgain() throws {
        for name in ["Cid", "Dan", "Eve"] {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
            try copyFile()
            #expect(try Self.names(copy) == ["Ada", "Bob"])
            try Self.save(name, in: copy)
        }
    }

    @Test("m.24b a folder that was copied with tables older than its log catches up")
    func copiedFolder() throws {
        try copyFile()
        try Self.save("Cid", in: url)
        let folder = directory.file("backup")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let restored = folder.appending(path: "Library.sqlite")
        try FileManager.default.copyItem(at: copy, to: restored)
        try FileManager.default.copyItem(atPath: url.path + "-log", toPath: restored.path + "-log")
        #expect(try Self.names(restored) == ["Ada", "Bob", "Cid"])
    }

    @Test("m.24b a log folder whose segments are gone is a loss, and no missing log")
    func segmentsGone() throws {
        try FileManager.default.removeItem(at: directory.file("Library.sqlite-log/00000000000000000001.segment"))
        #expect(throws: NSError.self) { _ = try Self.names(url) }
    }

    @Test("m.24b a file of an older model is migrated when it is opened")
    func olderModel() throws {
        try copyFile()
        let model = Library.model()
        let note = NSAttributeDescription()
        (note.name, note.attributeType, note.isOptional) = ("note", .stringAttributeType, true)
        let author = try #require(model.entitiesByName["Author"])
        author.properties.append(note)
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        ]
        let context = try Self.coordinator(copy, options, model: model).context()
        #expect(try context.strings("Author", "name") == ["Ada", "Bob"])
        for author in try context.all("Author") { author.setValue("n", forKey: "note") }
        try context.save()
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("m.24b a large value that stayed behind is counted on standard error")
    func largeValues() async throws {
        let photos = try PhotoStore()
        _ = try photos.add("a", Data(repeating: 7, count: 300_000))
        try photos.close()
        let copy = directory.file("Photos.sqlite")
        try FileManager.default.copyItem(at: photos.url, to: copy)
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [path = copy.path as String] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PhotoStore.model())
            _ = try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("1 large values stayed behind"))
    }
    #endif

    @Test("m.24b the option is one of the description's")
    func option() {
        let description = NSPersistentStoreDescription(url: url)
        #expect(description.missingLog == .adopt)
        description.missingLog = .refuse
        #expect(description.options[PersistentStoreMissingLogOption] == "refuse" as NSString)
    }
}
