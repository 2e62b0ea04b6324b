import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Removing a store from its coordinator")
struct StoreRemovalConformanceTests {
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
        try context.save()
    }

    private func change(_ body: () throws -> Void) rethrows -> [Notification] {
        var posted: [Notification] = []
        let watch = Watch(.NSManagedObjectContextObjectsDidChange, context) { posted.append($0) }
        try body()
        context.drain()
        withExtendedLifetime(watch) {}
        return posted
    }

    @Test("a.2 with the last store everything is invalidated, told as IDs")
    func last() throws {
        let id = ada.objectID
        let posted = try change { try coordinator.remove(store) }
        #expect(posted.map(\.keys) == [[NSInvalidatedAllObjectsKey]])
        #expect(posted.first?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
    }

    @Test("a.2 objects of one store of several are told as invalidated; those of the others stay as they are")
    func oneOfTwo() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let eva = context.make("Author", ["name": "Eva"])
        context.assign(eva, to: second)
        try context.save()
        eva.setValue("Eve", forKey: "name")
        ada.setValue("Ade", forKey: "name")
        context.processPendingChanges()
        let posted = try change { try coordinator.remove(store) }
        #expect(posted.map(\.keys) == [[NSInvalidatedObjectsKey]])
        #expect(posted.first?.objects(NSInvalidatedObjectsKey) == [ada])
        #expect(context.updatedObjects == [eva])
        try context.save()
        #expect(eva.text("name") == "Eve")
        #expect(try context.strings("Author", "name") == ["Eve"])
    }

    @Test("a.2 an object of a removed store is deleted and empty when it is read, and a save leaves it alone")
    func reading() throws {
        try coordinator.remove(store)
        context.drain()
        #expect(ada.isFault)
        #expect(ada.text("name") == nil)
        #expect(ada.isDeleted)
        #expect(!context.hasChanges)
        try context.save()
    }

    @Test("a.2 what a context had not saved in a removed store is dropped, and is as saved when the store comes back")
    func comingBack() throws {
        ada.setValue("Ade", forKey: "name")
        try coordinator.remove(store)
        context.drain()
        #expect(!context.hasChanges)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Library.sqlite"), options: nil)
        #expect(try context.strings("Author", "name") == ["Ada"])
    }
}
