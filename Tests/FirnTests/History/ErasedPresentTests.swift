import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("The present of an object whose property is erased")
struct ErasedPresentTests {
    private let directory: TemporaryDirectory
    private var url: URL { directory.file("Journals.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    /// Journal   name (mandatory)   ──articles──▶▶ Article   name, journalName (derived)
    private static func model() -> NSManagedObjectModel {
        let journal = ModelSketch.entity("Journal", [ModelSketch.attribute("name", optional: false)])
        let article = ModelSketch.entity(
            "Article",
            [ModelSketch.attribute("name"), ModelSketch.derived("journalName", .stringAttributeType, "journal.name")])
        ModelSketch.relate(journal, "articles", toMany: article, "journal")
        return ModelSketch.model(journal, article)
    }

    private func open() throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        return coordinator
    }

    @Test("has the empty value that a mandatory attribute was set to")
    func mandatory() throws {
        let coordinator = try open()
        let context = coordinator.context()
        let journal = context.make("Journal", ["name": "secret"])
        try context.save()
        try coordinator.erase(journal.objectID, property: "name")
        let reader = coordinator.context()
        let read = try reader.existingObject(with: journal.objectID)
        #expect(read.text("name") == "")
        read.setValue("Nature", forKey: "name")
        try reader.save()
    }

    @Test("keeps what is derived from another object's property of the same name")
    func derived() throws {
        let coordinator = try open()
        let context = coordinator.context()
        let journal = context.make("Journal", ["name": "Nature"])
        let article = context.make("Article", ["name": "secret", "journal": journal])
        try context.save()
        try coordinator.erase(article.objectID, property: "name")
        let reader = coordinator.context()
        #expect(try reader.existingObject(with: article.objectID).text("journalName") == "Nature")
    }

    /// Performs an erasure as a process does it that is killed before it rebuilt the tables.
    private func eraseAndDie(_ id: NSManagedObjectID) throws {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: true)
        let (model, described) = try #require(try log.currentModel)
        let entity = try #require(described.entities.first { $0.name == id.entity.name })
        let slot = UInt16(try #require(entity.properties.firstIndex { $0.name == "name" }))
        let key = try #require(Int64(id.uriRepresentation().lastPathComponent.dropFirst()))
        try LogMaintenance(log).erase(
            Erasure(model: model, object: ObjectKey(entity: entity.number, primaryKey: key), slots: [slot]),
            header: TransactionHeader(date: 0, id: .random()))
        log.close()
    }

    /// Makes an article whose name is being erased when the program ends.
    private func interruptErasure(in context: NSManagedObjectContext) throws -> NSManagedObject {
        let article = context.make("Article", ["name": "secret"])
        try context.save()
        article.setValue(nil, forKey: "name")
        try context.save()
        try eraseAndDie(article.objectID)
        return article
    }

    @Test("has what was saved since, when an interrupted erasure is finished")
    func savedSince() throws {
        let coordinator = try open()
        let context = coordinator.context()
        let article = try interruptErasure(in: context)
        // A server has the store open all the time.
        article.setValue("A new title", forKey: "name")
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
        let reader = try open().context()
        #expect(try reader.all("Article").map { $0.text("name") } == ["A new title"])
    }

    @Test("is erased from a copy of the store too, if the erasure was interrupted before the copy was made")
    func copied() throws {
        let coordinator = try open()
        let context = coordinator.context()
        _ = try interruptErasure(in: context)
        let copy = directory.file("Copy.sqlite")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
        let log = try SegmentLog.open(directory: copy.path + "-log", forWriting: false)
        #expect(try LogMaintenance(log).pendingErasure != nil)
    }
}
