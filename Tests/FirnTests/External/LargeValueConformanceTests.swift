import Firn
import FirnFoundation
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Large values in files of their own")
struct LargeValueConformanceTests {
    private let photos: PhotoStore
    private let large = PhotoStore.bytes(1)

    init() throws { photos = try PhotoStore() }

    @Test("d.23 are read by this context, by another one, and when the store is opened again")
    func roundTrip() throws {
        let photo = try photos.add("a", large)
        #expect(photo.value(forKey: "data") as? Data == large)
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: "data") as? Data == large)
        #expect(try PhotoStore.read(photos.url) == ["a": large])
        #expect(photos.files.count == 1)
        #expect(try PhotoStore.problems(photos.url) == [])
    }

    @Test("d.23 are out of the log and of the tables")
    func rows() throws {
        _ = try photos.add("a", large)
        try photos.close()
        let files = FileManager.default.enumerator(at: photos.directory.url, includingPropertiesForKeys: nil)
        var holding: [String] = []
        for case let file as URL in files?.allObjects ?? [] where !file.hasDirectoryPath {
            if try Data(contentsOf: file).range(of: large.prefix(400)) != nil { holding.append(file.lastPathComponent) }
        }
        #expect(holding == photos.files)
    }

    @Test("d.23 begin beyond 100 KiB, and where the attribute allows it")
    func limits() throws {
        _ = try photos.add("a", PhotoStore.bytes(2, count: 102_400))
        let photo = try photos.add("b", nil)
        photo.setValue(large, forKey: "note")
        try photos.context.save()
        #expect(photos.files == [])
        _ = try photos.add("c", PhotoStore.bytes(2, count: 102_401))
        #expect(photos.files.count == 1)
    }

    @Test("d.23 of one content are one file")
    func sameContent() throws {
        _ = try photos.add("a", large)
        _ = try photos.add("b", large)
        #expect(photos.files.count == 1)
        #expect(try PhotoStore.read(photos.url) == ["a": large, "b": large])
    }

    @Test("d.23 stay in the rows of a store in memory")
    func inMemory() throws {
        let photos = try PhotoStore(type: NSInMemoryStoreType)
        let photo = try photos.add("a", large)
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: "data") as? Data == large)
    }

    @Test("d.23 come back with tables that are built anew")
    func rebuild() throws {
        _ = try photos.add("a", large)
        try photos.close()
        try photos.url.discardTables()
        #expect(try PhotoStore.read(photos.url) == ["a": large])
    }

    @Test("d.23 are as they were for a context of the past, and in history")
    func past() throws {
        let photo = try photos.add("a", large)
        let newer = PhotoStore.bytes(3)
        photo.setValue(newer, forKey: "data")
        try photos.context.save()
        let past = try photos.coordinator.newContext(asOf: .sequence(2))
        let then = try past.performAndWait {
            try past.existingObject(with: photo.objectID).value(forKey: "data") as? Data
        }
        #expect(then == large)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try photos.context.execute(request) as? NSPersistentHistoryResult
        let change = (result?.result as? [NSPersistentHistoryTransaction])?.last?.changes?.first
        #expect(change?.oldValues["data"] as? Data == large)
        #expect(change?.newValues["data"] as? Data == newer)
    }

    @Test("d.23 are in dictionaries")
    func dictionaries() throws {
        _ = try photos.add("a", large)
        let request = NSFetchRequest<NSDictionary>(entityName: "Photo")
        request.resultType = .dictionaryResultType
        let found = try photos.context.fetch(request)
        #expect(found.first?["data"] as? Data == large)
    }

    @Test("d.23 set again to what they are do not count as changed")
    func unchanged() throws {
        let photo = try photos.add("a", large)
        photo.setValue(Data(large), forKey: "data")
        #expect(!photo.hasPersistentChangedValues)
        photo.setValue(PhotoStore.bytes(4), forKey: "data")
        #expect(photo.hasPersistentChangedValues)
    }

    @Test("d.23 of transformable attributes are transformed back")
    func transformable() throws {
        let words = (0..<20_000).map { "word \($0)" }
        let photo = photos.context.make("Photo", ["extra": words as NSArray])
        try photos.context.save()
        #expect(photos.files.count == 1)
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: "extra") as? [String] == words)
    }

    @Test("d.23 are found by their bytes, wherever these are")
    func found() throws {
        let lookalike = Data(large.withUnsafeBytes { ExternalReference(to: $0) }.bytes)
        for (title, data) in [("large", large), ("small", Data([1])), ("lookalike", lookalike), ("none", nil)] {
            _ = try photos.add(title, data)
        }
        func titles(_ format: String, _ values: Any...) throws -> Set<String> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
            request.predicate = NSPredicate(format: format, argumentArray: values)
            return Set(try photos.context.fetch(request).map { $0.text("title") ?? "" })
        }
        for _ in 0..<2 {
            #expect(try titles("data == %@", large) == ["large"])
            #expect(try titles("%@ = data", lookalike) == ["lookalike"])
            #expect(try titles("data == %@", Data([1])) == ["small"])
            #expect(try titles("data != %@", large) == ["small", "lookalike"])
            #expect(try titles("NOT data == %@", lookalike) == ["small", "large"])
            #expect(try titles("data IN %@", [large, Data([1])]) == ["large", "small"])
            #expect(try titles("data == nil") == ["none"])
        }
    }

    @Test(
        "d.23 a transformable value is compared with nil only, on disk",
        arguments: [
            ("extra == %@", false), ("extra != %@", false), ("%@ IN extra", false), ("extra IN %@", false),
            ("extra == nil OR title == %@", true),
        ])
    func compared(_ format: String, _ isAnswered: Bool) throws {
        _ = photos.context.make("Photo", ["extra": ["a"] as NSArray])
        try photos.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        request.predicate = NSPredicate(format: format, argumentArray: [["a"] as NSArray])
        if isAnswered {
            #expect(try photos.context.fetch(request).isEmpty)
        } else {
            #expect(throws: NSError.self) { try photos.context.fetch(request) }
        }
    }

    @Test("d.23 come with batch inserts and batch updates")
    func batches() throws {
        let insert = NSBatchInsertRequest(
            entityName: "Photo", objects: [["title": "a", "data": large], ["title": "b"]])
        _ = try photos.context.execute(insert)
        #expect(photos.files.count == 1)
        let update = NSBatchUpdateRequest(entityName: "Photo")
        update.propertiesToUpdate = ["data": PhotoStore.bytes(5)]
        update.predicate = NSPredicate(format: "title == 'b'")
        _ = try photos.context.execute(update)
        #expect(photos.files.count == 2)
        #expect(try PhotoStore.read(photos.url) == ["a": large, "b": PhotoStore.bytes(5)])
    }

    @Test("d.23 pass through a child context")
    func child() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = photos.context
        let shown = try child.performAndWait {
            let photo = child.make("Photo", ["title": "a", "data": large])
            try child.save()
            return photo.value(forKey: "data") as? Data
        }
        #expect(shown == large)
        #expect(photos.files == [])
        try photos.context.save()
        #expect(photos.files.count == 1)
    }

    @Test("d.23 are no reference, even if they look like one")
    func lookalikes() throws {
        let reference = large.withUnsafeBytes { ExternalReference(to: $0) }
        let photo = try photos.add("a", Data(reference.bytes))
        photo.setValue(Data(reference.bytes), forKey: "note")
        try photos.context.save()
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: "data") as? Data == Data(reference.bytes))
        #expect(photo.value(forKey: "note") as? Data == Data(reference.bytes))
    }

    @Test(
        "d.23 are no reference, even if they look like one to a value that is there",
        arguments: [NSSQLiteStoreType, NSInMemoryStoreType], ["data", "note"])
    func lookalikesOfStored(_ type: String, _ key: String) throws {
        let photos = try PhotoStore(type: type)
        let lookalike = large.withUnsafeBytes { Data(ExternalReference(to: $0).bytes) }
        let photo = try photos.add("a", large)
        photo.setValue(lookalike, forKey: key)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = photos.context
        let shown = try child.performAndWait {
            try child.existingObject(with: photo.objectID).value(forKey: key) as? Data
        }
        #expect(shown == lookalike)
        try photos.context.save()
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: key) as? Data == lookalike)
        photo.setValue(large, forKey: key)
        try photos.context.save()
        photos.context.refreshAllObjects()
        #expect(photo.value(forKey: key) as? Data == large)
    }

    @Test("d.23 are copied by a derived attribute, which refers to the same file")
    func derived() throws {
        let model = PhotoStore.model()
        let copied = ModelSketch.derived("copied", .binaryDataAttributeType, "data")
        copied.allowsExternalBinaryDataStorage = true
        model.entitiesByName["Photo"]?.properties.append(copied)
        _ = try photos.add("a", large)
        try photos.coordinator.remove(photos.coordinator.persistentStores[0])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: photos.url, options: MigratingStore.lightweight)
        let context = coordinator.context()
        let photo = try #require(try context.all("Photo").first)
        #expect(photo.value(forKey: "copied") as? Data == large)
        #expect(photos.files.count == 1)
    }

    @Test("d.23 come back with an object whose deletion is undone, and are copied by a batch update")
    func comeBack() throws {
        let photo = try photos.add("a", large)
        photos.context.undoManager = UndoManager()
        photos.context.delete(photo)
        try photos.context.save()
        photos.context.undo()
        try photos.context.save()
        let update = NSBatchUpdateRequest(entityName: "Photo")
        update.propertiesToUpdate = ["note": NSExpression(forKeyPath: "data")]
        _ = try photos.context.execute(update)
        photos.context.refreshAllObjects()
        let back = try #require(try photos.context.all("Photo").first)
        #expect(back.value(forKey: "data") as? Data == large)
        #expect(back.value(forKey: "note") as? Data == large)
        #expect(photos.files.count == 1)
    }
}
