import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: saves without changes")
struct MetadataSaveConformanceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "m.6 metadata is written by a save that has no other change",
        arguments: [NSSQLiteStoreType, NSBinaryStoreType])
    func metadata(type: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let url = directory.file("Library")
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        coordinator.setMetadata(["edition": 2], for: store)
        try coordinator.context().save()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(read["edition"] as? Int == 2)
    }

    @Test("m.6 metadata of one store is written by a save of objects of another one")
    func otherStore() throws {
        let coordinator = try Library.onDisk(directory)
        let url = directory.file("Other.sqlite")
        let other = try coordinator.addPersistentStore(type: .sqlite, at: url)
        coordinator.setMetadata(["edition": 2], for: other)
        let context = coordinator.context()
        _ = context.make("Author")
        try context.save()
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(read["edition"] as? Int == 2)
    }

    @Test("m.6 metadata that cannot be written fails the save of a context without changes")
    func unwritable() throws {
        let coordinator = try Library.onDisk(directory)
        coordinator.setMetadata(["edition": ObjectIdentifier(coordinator)], for: coordinator.persistentStores[0])
        let error = #expect(throws: NSError.self) { try coordinator.context().save() }
        #expect(error?.code == NSPersistentStoreSaveError)
    }

    @Test("m.6 metadata stays as it is if the save fails, and is written by the next one")
    func failed() throws {
        let files = HeardFileSystem()
        let coordinator = try Library.onDisk(directory, options: [PersistentStoreFileSystemOption: files])
        let store = coordinator.persistentStores[0]
        let context = coordinator.context()
        coordinator.setMetadata(["edition": 1], for: store)
        try context.save()
        coordinator.setMetadata(["edition": 2], for: store)
        _ = context.make("Author")
        files.hear { (call, path) throws(FileError) in
            if call == .write, path.hasSuffix(".segment") || path.hasSuffix("next.tmp") {
                throw FileError("write it", path: path, errno: ENOSPC)
            }
        }
        #expect(throws: NSError.self) { try context.save() }
        func edition() throws -> Int? {
            let url = directory.file("Library.sqlite")
            return try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)["edition"]
                as? Int
        }
        #expect(try edition() == 1)
        files.hear(nil)
        try context.save()
        #expect(try edition() == 2)
    }

    @Test("m.6 a save without changes writes no record")
    func noRecord() throws {
        let coordinator = try Library.onDisk(directory)
        coordinator.setMetadata(["edition": 2], for: coordinator.persistentStores[0])
        let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
        try coordinator.context().save()
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == before)
    }

    @Test("m.4 a save without changes asks an incremental store to write its metadata, with nil for all sets")
    func incremental() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try NodeStore.add(to: coordinator)
        let context = coordinator.context()
        try context.save()
        #expect(store.saves == ["metadata"])
        _ = context.make("Tag", ["label": "one"])
        try context.save()
        #expect(store.saves == ["metadata", "1 0 0"])
    }

    @Test("m.28 a binary store is on disk when it was added")
    func binary() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let url = directory.file("Library.binary")
        let store = try coordinator.addPersistentStore(type: .binary, at: url)
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .binary, at: url)
        #expect(read[NSStoreUUIDKey] as? String == store.identifier)
    }

    @Test("m.25a a coordinator without a model can be written")
    func coordinator() {
        #expect(NSPersistentStoreCoordinator().managedObjectModel.entities.isEmpty)
    }
}
