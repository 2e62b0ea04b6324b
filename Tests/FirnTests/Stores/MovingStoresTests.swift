import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: stores that move, are replaced and destroyed")
struct MovingStoresTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let store: NSPersistentStore
    let ada: NSManagedObject

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        context = coordinator.context()
        store = try #require(coordinator.persistentStores.first)
        ada = context.make("Author", ["name": "Ada"])
        ada.setValue(NSOrderedSet(array: [context.make("Book", ["title": "Notes"])]), forKey: "books")
        try context.save()
        ada.setValue("Ada L.", forKey: "name")
        try context.save()
    }

    private func opened(_ name: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .sqlite, at: directory.file(name))
        return coordinator
    }

    private func age(_ name: String) throws -> Int? {
        let context = try opened(name).context()
        return try context.all("Author").first?.number("age")
    }

    private func other(_ names: [String]) throws {
        let coordinator = try opened("Other.sqlite")
        let context = coordinator.context()
        for name in names {
            _ = context.make("Author", ["name": name])
            try context.save()
        }
        try coordinator.remove(coordinator.persistentStores[0])
    }

    private func history(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try coordinator.context().execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction])?.count ?? 0
    }

    private var names: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
    }

    @Test("a migrated store takes the place of the old one, with its objects, its history and what is unsaved")
    func migrated() throws {
        ada.setValue(36, forKey: "age")
        let url = directory.file("Copy.sqlite")
        let copy = try coordinator.migratePersistentStore(store, to: url, type: .sqlite)
        context.drain()
        #expect(coordinator.persistentStores == [copy])
        #expect(ada.objectID.persistentStore === copy)
        #expect(ada.hasChanges)
        #expect((ada.value(forKey: "books") as? NSOrderedSet)?.count == 1)
        try context.save()
        #expect(try history(coordinator) == 3)
        #expect(try age("Copy.sqlite") == 36)
        #expect(try age("Library.sqlite") == nil)
    }

    @Test("a fault of a migrated store fires, and its ID is found again by its URI")
    func faults() throws {
        let uri = ada.objectID.uriRepresentation()
        context.refresh(ada, mergeChanges: false)
        try coordinator.migratePersistentStore(store, to: directory.file("Copy.sqlite"), type: .sqlite)
        context.drain()
        #expect(ada.text("name") == "Ada L.")
        #expect(coordinator.managedObjectID(forURIRepresentation: uri) == ada.objectID)
        #expect(coordinator.managedObjectID(for: uri.absoluteString) == ada.objectID)
    }

    @Test("a store moves into memory and back to the disk with its history")
    func throughMemory() throws {
        let memory = try coordinator.migratePersistentStore(
            store, to: URL(fileURLWithPath: "/dev/null"), type: .inMemory)
        context.drain()
        ada.setValue("Countess", forKey: "name")
        try context.save()
        #expect(memory.type == NSInMemoryStoreType)
        try coordinator.migratePersistentStore(memory, to: directory.file("Back.sqlite"), type: .sqlite)
        #expect(try history(coordinator) == 3)
        #expect(try opened("Back.sqlite").context().strings("Author", "name") == ["Countess"])
        #expect(try opened("Library.sqlite").context().strings("Author", "name") == ["Ada L."])
    }

    @Test("a store is not migrated onto another one")
    func ontoAnother() throws {
        try other(["Bob"])
        let error = #expect(throws: NSError.self) {
            try coordinator.migratePersistentStore(store, to: directory.file("Other.sqlite"), type: .sqlite)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(coordinator.persistentStores == [store])
        #expect(try context.strings("Author", "name") == ["Ada L."])
    }

    @Test("observers hear what was removed and what was added")
    func notifications() throws {
        var heard: [[AnyHashable: Any]] = []
        let watch = Watch(.NSPersistentStoreCoordinatorStoresDidChange, coordinator) {
            heard.append($0.userInfo ?? [:])
        }
        let copy = try coordinator.migratePersistentStore(store, to: directory.file("Copy.sqlite"), type: .sqlite)
        withExtendedLifetime(watch) {}
        #expect(heard.count == 1)
        #expect(heard.first?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [copy])
        #expect(heard.first?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
    }

    @Test("a store is replaced by a copy of another one, which stays; nothing else is left behind")
    func replaced() throws {
        try other(["Bob", "Cid"])
        try coordinator.replacePersistentStore(
            at: directory.file("Library.sqlite"), withPersistentStoreFrom: directory.file("Other.sqlite"),
            type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Library.sqlite"))
        #expect(try coordinator.context().strings("Author", "name") == ["Bob", "Cid"])
        #expect(try history(coordinator) == 2)
        #expect(try opened("Other.sqlite").context().strings("Author", "name") == ["Bob", "Cid"])
        #expect(names.filter { $0.contains("-log.") }.isEmpty)
    }

    @Test("a replacement may stand where no store was")
    func placed() throws {
        try coordinator.replacePersistentStore(
            at: directory.file("New.sqlite"), withPersistentStoreFrom: directory.file("Library.sqlite"), type: .sqlite)
        #expect(coordinator.persistentStores == [store])
        #expect(try opened("New.sqlite").context().strings("Author", "name") == ["Ada L."])
    }

    @Test("replacing with what is not there leaves the store as it is")
    func missingSource() throws {
        let error = #expect(throws: NSError.self) {
            try coordinator.replacePersistentStore(
                at: directory.file("Library.sqlite"), withPersistentStoreFrom: directory.file("No.sqlite"),
                type: .sqlite)
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(coordinator.persistentStores == [store])
        #expect(try context.strings("Author", "name") == ["Ada L."])
    }

    @Test("a destroyed store is gone from the coordinator, leaves an empty one on disk, and can be added again")
    func destroyed() throws {
        try coordinator.destroyPersistentStore(at: directory.file("Library.sqlite"), type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        let files = ["", "-log", "-shm", "-wal"].map { "Library.sqlite" + $0 }
        #expect(Set(names) == Set(files))
        try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Library.sqlite"))
        #expect(try coordinator.context().all("Author").isEmpty)
    }

    @Test("destroying where no store is does nothing, and a file of another program is left alone")
    func destroyingNothing() throws {
        try coordinator.destroyPersistentStore(at: directory.file("No.sqlite"), type: .sqlite)
        try Data("letters".utf8).write(to: directory.file("Letters.sqlite"))
        let error = #expect(throws: NSError.self) {
            try coordinator.destroyPersistentStore(at: directory.file("Letters.sqlite"), type: .sqlite)
        }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(names.contains("Letters.sqlite"))
    }

    @Test(
        "a coordinator whose store another one destroyed or replaced hears of it when it saves",
        arguments: [true, false])
    func whileOpen(isReplaced: Bool) throws {
        let second = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        if isReplaced {
            try other(["Bob"])
            try second.replacePersistentStore(
                at: directory.file("Library.sqlite"), withPersistentStoreFrom: directory.file("Other.sqlite"),
                type: .sqlite)
        } else {
            try second.destroyPersistentStore(at: directory.file("Library.sqlite"), type: .sqlite)
        }
        ada.setValue("Lost", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(error?.localizedDescription.contains("replaced or destroyed") == true)
        #expect(context.hasChanges)
    }

    @Test("a store whose files were moved goes on at their new place")
    func movedFiles() throws {
        let folder = directory.file("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for name in ["Library.sqlite", "Library.sqlite-log"] {
            try FileManager.default.copyItem(at: directory.file(name), to: folder.appendingPathComponent(name))
        }
        let url = folder.appendingPathComponent("Library.sqlite")
        #expect(!coordinator.setURL(directory.file("No.sqlite"), for: store))
        #expect(coordinator.setURL(url, for: store))
        #expect(coordinator.url(for: store) == url)
        ada.setValue("Eve", forKey: "name")
        try context.save()
        #expect(try opened("folder/Library.sqlite").context().strings("Author", "name") == ["Eve"])
        #expect(try opened("Library.sqlite").context().strings("Author", "name") == ["Ada L."])
    }

    @Test("the URL of a store is read while the store moves")
    func readWhileMoving() {
        let urls = [directory.file("A.sqlite"), directory.file("B.sqlite")]
        nonisolated(unsafe) let store = store
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for count in 0..<20_000 {
                if thread == 0 { store.url = URL(fileURLWithPath: urls[count % 2].path) }
                #expect(store.url?.isFileURL == true)
            }
        }
    }

    @Test("a store, or a copy of it, is added to a coordinator once")
    func twice() throws {
        let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(type: .sqlite, at: directory.file("Library.sqlite"))
        }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(coordinator.persistentStores == [store])
        ada.setValue("Eve", forKey: "name")
        try context.save()
    }
}
