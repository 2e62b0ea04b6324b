import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance (g): store metadata")
struct MetadataTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    var url: URL { directory.file("Library.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        store = try #require(coordinator.persistentStores.first)
    }

    private func read() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    }

    private func save() throws {
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
    }

    @Test("tells UUID, type, model hashes, identifiers and checksum, of open stores and of others alike")
    func standard() throws {
        let model = coordinator.managedObjectModel
        for metadata in [coordinator.metadata(for: store), try read()] {
            #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == model.entityVersionHashesByName)
            #expect(metadata[NSPersistentStoreModelVersionChecksumKey] as? String == model.versionChecksum)
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        }
    }

    @Test("that is set is written with the next save")
    func saved() throws {
        coordinator.setMetadata(["edition": 2, NSStoreUUIDKey: "mine"], for: store)
        #expect(coordinator.metadata(for: store)["edition"] as? Int == 2)
        #expect(try read()["edition"] == nil)
        try save()
        #expect(try read()["edition"] as? Int == 2)
        #expect(try read()[NSStoreUUIDKey] as? String == store.identifier)
    }

    @Test("that is set on a store that is not open is written at once, and comes along when the store is copied")
    func closed() throws {
        try save()
        try coordinator.remove(store)
        try NSPersistentStoreCoordinator.setMetadata(["edition": 3], type: .sqlite, at: url)
        let again = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(again.metadata["edition"] as? Int == 3)
        let copy = try coordinator.migratePersistentStore(again, to: directory.file("Copy.sqlite"), type: .sqlite)
        #expect(copy.metadata["edition"] as? Int == 3)
    }

    @Test("of a store that is not there is error 134080")
    func missing() throws {
        let error = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: directory.file("No.sqlite"))
        }
        #expect(error?.code == NSPersistentStoreOpenError)
    }

    @Test("of a store in memory is not that of the store on disk that its URL leads to")
    func inMemory() throws {
        try save()
        try coordinator.remove(store)
        let read = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .inMemory, at: url)
        }
        let set = #expect(throws: NSError.self) {
            try NSPersistentStoreCoordinator.setMetadata(["edition": 4], type: .inMemory, at: url)
        }
        #expect([read?.code, set?.code] == [NSPersistentStoreOperationError, NSPersistentStoreOperationError])
        #expect(try self.read()["edition"] == nil)
    }

    @Test("of types that a property list does not have fails the save, with what to use")
    func unwritable() throws {
        coordinator.setMetadata(["edition": ObjectIdentifier(store)], for: store)
        let error = #expect(throws: NSError.self) { try save() }
        #expect(error?.code == NSPersistentStoreSaveError)
    }

    @Test("comes with the model: the log carries it")
    func cachedModel() throws {
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #expect(model?.versionChecksum == coordinator.managedObjectModel.versionChecksum)
    }
}
