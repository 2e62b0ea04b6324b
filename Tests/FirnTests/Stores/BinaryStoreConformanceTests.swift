import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance: binary stores")
struct BinaryStoreConformanceTests {
    let directory: TemporaryDirectory
    var url: URL { directory.file("Library.binary") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ options: [AnyHashable: Any]? = nil) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(type: .binary, at: url, options: options)
        return coordinator
    }

    private func save(_ name: String, _ coordinator: NSPersistentStoreCoordinator) throws {
        let context = coordinator.context()
        _ = context.make("Author", ["name": name])
        try context.save()
    }

    @Test("h.10 values of every type and relationships of every kind come back")
    func everything() throws {
        let values: [String: Any] = [
            "name": "Ada", "age": 36, "born": Date(timeIntervalSinceReferenceDate: -1.5),
            "isAlive": NSNumber(value: false), "height": 1.65, "portrait": Data([0, 255]),
            "worth": NSDecimalNumber(string: "0.1000000000000000000001"),
            "homepage": URL(string: "https://example.org/a?b")!, "id": UUID(),
        ]
        do {
            let context = try open().context()
            let ada = context.make("Author", values)
            let books = ["One", "Two", "Three"].map { context.make("Book", ["title": $0]) }
            ada.setValue(NSOrderedSet(array: books), forKey: "books")
            context.make("Tag", ["label": "t"]).setValue(NSSet(array: [books[0], books[2]]), forKey: "books")
            _ = context.make("Poet", ["meter": "iambic"])
            try context.save()
        }
        let coordinator = try open()
        let context = coordinator.context()
        let ada = try #require(try context.all("Author").first { $0.text("name") == "Ada" })
        for (key, value) in values { #expect("\(ada.value(forKey: key) ?? "nil")" == "\(value)", "\(key)") }
        #expect(ada.value(forKey: "worth") as? NSDecimalNumber == values["worth"] as? NSDecimalNumber)
        #expect(ada.books.map { $0.text("title") } == ["One", "Two", "Three"])
        let tag = try #require(try context.all("Tag").first)
        let tagged = try #require(tag.value(forKey: "books") as? Set<NSManagedObject>)
        #expect(Set(tagged.map { $0.text("title") }) == ["One", "Three"])
        #expect(try context.all("Poet").count == 1)
    }

    @Test("h.10 object IDs hold across openings, and are not given again to what comes later")
    func identity() throws {
        var uri: URL?
        do {
            let coordinator = try open()
            let context = coordinator.context()
            let ada = context.make("Author", ["name": "Ada"])
            try context.save()
            uri = ada.objectID.uriRepresentation()
        }
        let coordinator = try open()
        let context = coordinator.context()
        try save("Bob", coordinator)
        let id = try #require(uri.flatMap(coordinator.managedObjectID(forURIRepresentation:)))
        #expect(try context.existingObject(with: id).text("name") == "Ada")
        #expect(try context.strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("h.10 what another program wrote is not written over")
    func twoWriters() throws {
        let (one, two) = (try open(), try open())
        try save("Ada", one)
        let error = #expect(throws: NSError.self) { try save("Bob", two) }
        #expect(error?.code == NSPersistentStoreSaveError)
        let fresh = try open().context()
        #expect(try fresh.strings("Author", "name") == ["Ada"])
    }

    @Test("h.12 a file of another kind is refused and left alone; one of another model is error 134100")
    func foreign() throws {
        try Data("letters".utf8).write(to: url)
        let error = #expect(throws: NSError.self) { try open() }
        #expect(error?.code == NSPersistentStoreTypeMismatchError)
        #expect(try String(contentsOf: url, encoding: .utf8) == "letters")
        try FileManager.default.removeItem(at: url)
        try save("Ada", open())
        let other = NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.correspondence())
        let mismatch = #expect(throws: NSError.self) { try other.addPersistentStore(type: .binary, at: url) }
        #expect(mismatch?.code == NSPersistentStoreIncompatibleVersionHashError)
    }

    @Test("h.10 a read-only store is read, is not there where no file is, and cannot be saved to")
    func readOnly() throws {
        let options = [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
        #expect(throws: NSError.self) { try open(options) }
        try save("Ada", open())
        let coordinator = try open(options)
        #expect(throws: NSError.self) { try save("Bob", coordinator) }
        #expect(try coordinator.context().strings("Author", "name") == ["Ada"])
    }

    @Test("h.10 metadata is in the file, and set without opening the store")
    func metadata() throws {
        let coordinator = try open()
        let store = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata(["edition": 2], for: store)
        try save("Ada", coordinator)
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .binary, at: url)
        #expect(metadata["edition"] as? Int == 2)
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        try NSPersistentStoreCoordinator.setMetadata(["edition": 3], type: .binary, at: url)
        metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .binary, at: url)
        #expect(metadata["edition"] as? Int == 3)
        #expect(metadata[NSStoreTypeKey] as? String == NSBinaryStoreType)
    }

    @Test("h.11 a binary store becomes one on disk and a store on disk a binary one, replaced and destroyed like it")
    func conversion() throws {
        let coordinator = try Library.onDisk(directory)
        try save("Ada", coordinator)
        let store = try #require(coordinator.persistentStores.first)
        let binary = try coordinator.migratePersistentStore(store, to: url, type: .binary)
        try save("Bob", coordinator)
        let back = try coordinator.migratePersistentStore(binary, to: directory.file("Back.sqlite"), type: .sqlite)
        #expect(back.type == NSSQLiteStoreType)
        try save("Cid", coordinator)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Bob", "Cid"])
        let copy = directory.file("Copy.binary")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .binary)
        try coordinator.destroyPersistentStore(at: url, type: .binary)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try coordinator.remove(back)
        try coordinator.addPersistentStore(type: .binary, at: copy)
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Bob"])
    }
}
