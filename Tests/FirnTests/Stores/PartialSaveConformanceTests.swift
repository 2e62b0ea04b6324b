import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A save into two stores of which the second fails")
struct PartialSaveConformanceTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let sound: NSPersistentStore
    let failing: JSONStore
    let context: NSManagedObjectContext

    init() throws {
        JSONStore.register
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        sound = try #require(coordinator.persistentStores.first)
        let store = try coordinator.addPersistentStore(type: JSONStore.storeType, at: directory.file("Library.json"))
        failing = try #require(store as? JSONStore)
        context = coordinator.context()
    }

    private func make(_ name: String, in store: NSPersistentStore) -> NSManagedObject {
        let author = context.make("Author", ["name": name])
        context.assign(author, to: store)
        return author
    }

    private func names(_ store: NSPersistentStore) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.affectedStores = [store]
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let fresh = coordinator.context()
        return try fresh.fetch(request).map { $0.text("name") ?? "" }
    }

    @Test("h.15 is error 134040 with the stores and objects that are not saved; what was saved is clean")
    func incomplete() throws {
        let (ada, bob) = (make("Ada", in: sound), make("Bob", in: failing))
        failing.failure = NSError(domain: "Disk", code: 1)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreIncompleteSaveError)
        #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [failing])
        #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [bob])
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "Disk")
        #expect(!ada.objectID.isTemporaryID)
        #expect(!ada.isInserted)
        #expect(bob.objectID.isTemporaryID)
        #expect(context.insertedObjects == [bob])
    }

    @Test("h.15 is completed by the next one, without saving anything twice")
    func again() throws {
        let ada = make("Ada", in: sound)
        let eve = make("Eve", in: sound)
        let (bob, cid) = (make("Bob", in: failing), make("Cid", in: failing))
        try context.save()
        ada.setValue("Ada II", forKey: "name")
        context.delete(eve)
        bob.setValue("Bob II", forKey: "name")
        context.delete(cid)
        _ = make("Dan", in: sound)
        failing.failure = NSError(domain: "Disk", code: 1)
        #expect(throws: NSError.self) { try context.save() }
        #expect(try names(sound) == ["Ada II", "Dan"])
        #expect(try names(failing) == ["Bob", "Cid"])
        #expect(context.updatedObjects == [bob])
        #expect(context.deletedObjects == [cid])
        failing.failure = nil
        try context.save()
        #expect(!context.hasChanges)
        #expect(try names(sound) == ["Ada II", "Dan"])
        #expect(try names(failing) == ["Bob II"])
    }

    @Test("h.15 tells other contexts what was saved, and that only")
    func notification() throws {
        let (ada, bob) = (make("Ada", in: sound), make("Bob", in: failing))
        failing.failure = NSError(domain: "Disk", code: 1)
        nonisolated(unsafe) var saved: [Set<NSManagedObject>] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { saved.append($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []) }
        defer { NotificationCenter.default.removeObserver(observer) }
        #expect(throws: NSError.self) { try context.save() }
        failing.failure = nil
        try context.save()
        #expect(saved == [[ada], [bob]])
    }
}
