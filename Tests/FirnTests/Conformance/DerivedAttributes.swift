import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): attributes that a save computes.
@Suite("Conformance (d): derived attributes")
struct DerivedAttributeConformanceTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Self.open(directory)
        context = coordinator.context()
    }

    private static func open(_ directory: TemporaryDirectory) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Journal.sqlite"), options: nil)
        return coordinator
    }

    /// Journals with articles (one to many) and readers (many to many), which tell about them in every way there is.
    private static func model() -> NSManagedObjectModel {
        let journal = ModelSketch.entity(
            "Journal",
            [
                ModelSketch.attribute("name"),
                ModelSketch.derived("plainName", .stringAttributeType, "canonical:(name)"),
                ModelSketch.derived("loudName", .stringAttributeType, "uppercase:(name)"),
                ModelSketch.derived("savedOn", .dateAttributeType, "now()"),
                ModelSketch.derived("articleCount", .integer64AttributeType, "articles.@count"),
                ModelSketch.derived("wordCount", .integer64AttributeType, "articles.words.@sum"),
                ModelSketch.derived("longest", .integer64AttributeType, "articles.words.@max"),
                ModelSketch.derived("readerCount", .integer64AttributeType, "readers.@count"),
            ])
        let article = ModelSketch.entity(
            "Article",
            [
                ModelSketch.attribute("title"), ModelSketch.attribute("words", .integer64AttributeType),
                ModelSketch.derived("journalName", .stringAttributeType, "journal.name"),
            ])
        let reader = ModelSketch.entity("Reader", [ModelSketch.attribute("name")])
        ModelSketch.relate(journal, "articles", toMany: article, "journal")
        ModelSketch.relate(journal, "readers", toMany: reader, "journals").inverseRelationship?.maxCount = 0
        return ModelSketch.model(journal, article, reader)
    }

    private func makeJournal() throws -> NSManagedObject {
        let journal = context.make("Journal", ["name": "Éole"])
        for words in [100, 300] { context.make("Article", ["words": words]).setValue(journal, forKey: "journal") }
        try context.save()
        return journal
    }

    @Test("d.21 functions of the object's own attributes are there after the save, without a refresh")
    func functions() throws {
        let journal = try makeJournal()
        #expect(journal.text("plainName") == "eole")
        #expect(journal.text("loudName") == "ÉOLE")
        #expect(journal.value(forKey: "savedOn") is Date)
        journal.setValue("Aube", forKey: "name")
        #expect(journal.text("plainName") == "eole")
        try context.save()
        #expect(journal.text("plainName") == "aube")
    }

    @Test("d.21 counts and sums follow members that come, change, leave and are deleted")
    func members() throws {
        let journal = try makeJournal()
        func numbers() -> [Int?] { ["articleCount", "wordCount", "longest"].map(journal.number) }
        #expect(numbers() == [2, 400, 300])
        let articles = try context.all("Article", sortedBy: "words")
        articles[1].setValue(50, forKey: "words")
        try context.save()
        #expect(numbers() == [2, 150, 100])
        articles[0].setValue(nil, forKey: "journal")
        try context.save()
        #expect(numbers() == [1, 50, 50])
        context.delete(articles[1])
        try context.save()
        #expect(numbers() == [0, 0, nil])
    }

    @Test("d.21 a many-to-many relationship is counted from either side")
    func links() throws {
        let journal = try makeJournal()
        let readers = ["Ada", "Eva"].map { context.make("Reader", ["name": $0]) }
        journal.setValue(Set(readers), forKey: "readers")
        try context.save()
        #expect(journal.number("readerCount") == 2)
        readers[0].setValue(Set<NSManagedObject>(), forKey: "journals")
        try context.save()
        #expect(journal.number("readerCount") == 1)
        context.delete(readers[1])
        try context.save()
        #expect(journal.number("readerCount") == 0)
    }

    @Test("d.21 an attribute of a related object is copied, and follows it")
    func copied() throws {
        let journal = try makeJournal()
        let article = try #require(try context.all("Article").first)
        #expect(article.text("journalName") == "Éole")
        journal.setValue("Aube", forKey: "name")
        try context.save()
        #expect(article.text("journalName") == "Aube")
    }

    @Test("d.21 two contexts that add members at once are both counted")
    func concurrent() throws {
        let journal = try makeJournal()
        let other = coordinator.context()
        let theirs = try other.existingObject(with: journal.objectID)
        _ = theirs.value(forKey: "articles")
        context.make("Article", ["words": 1]).setValue(journal, forKey: "journal")
        try context.save()
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        other.make("Article", ["words": 2]).setValue(theirs, forKey: "journal")
        try other.save()
        #expect(theirs.number("articleCount") == 4)
        #expect(theirs.number("wordCount") == 403)
    }

    @Test("d.21 a fetch by a derived attribute finds it, and rebuilt tables have it")
    func stored() throws {
        _ = try makeJournal()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try directory.file("Journal.sqlite").discardTables()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Journal")
        request.predicate = NSPredicate(format: "plainName == 'eole' AND wordCount == 400")
        let again = try Self.open(directory).context()
        #expect(try again.count(for: request) == 1)
    }

    @Test("d.21 an object whose derived value alone changed is told as refreshed, here and where it is merged")
    func told() throws {
        let journal = try makeJournal()
        let other = coordinator.context()
        other.automaticallyMergesChangesFromParent = true
        let theirs = try other.existingObject(with: journal.objectID)
        var refreshed: Set<NSManagedObject> = []
        let watch = Watch(.NSManagedObjectContextObjectsDidChange, context) {
            refreshed.formUnion($0.objects(NSRefreshedObjectsKey) ?? [])
        }
        try #require(try context.all("Article").first).setValue(1000, forKey: "words")
        try context.save()
        other.drain()
        #expect(refreshed == [journal])
        #expect(theirs.number("longest") == 1000)
        withExtendedLifetime(watch) {}
    }

    @Test("d.21 a derived attribute that is not optional fails the validation of a new object")
    func mandatory() throws {
        let model = Self.model()
        model.entitiesByName["Journal"]?.attributesByName["plainName"]?.isOptional = false
        let context = try Library.inMemory(model).context()
        _ = context.make("Journal", ["name": "Éole"])
        #expect { try context.save() } throws: { ($0 as NSError).code == 1570 }
    }

    @Test("a save that fails leaves no derived values behind")
    func failing() throws {
        let journal = try makeJournal()
        let other = coordinator.context()
        let article = try #require(try context.all("Article").first)
        let theirs = try other.existingObject(with: article.objectID)
        theirs.setValue("Theirs", forKey: "title")
        try other.save()
        article.setValue("Mine", forKey: "title")
        article.setValue(7, forKey: "words")
        #expect(throws: (any Error).self) { try context.save() }
        #expect(journal.changedValues().isEmpty)
        #expect(journal.number("wordCount") == 400)
    }
}
