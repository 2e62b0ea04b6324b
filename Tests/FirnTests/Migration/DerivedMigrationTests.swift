import Firn
import FirnLog
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

/// What a migration gives objects that were there: derived attributes, and defaults that are no plain values.
@Suite("A migration to attributes with values of their own")
struct DerivedMigrationTests {
    private static let old = """
        Journal: name String, articles ->> Article.journal
        Article: title String, words Integer32, journal -> Journal.articles
        """
    private static let new = """
        Journal: name String, articles ->> Article.journal, loud String derived uppercase:(name), \
        count Integer64 derived articles.@count, words Integer64 derived articles.words.@sum
        Article: title String, words Integer32, journal -> Journal.articles, of String derived journal.name
        """

    private func fill(_ context: NSManagedObjectContext) {
        for name in ["Annals", "Letters"] {
            let journal = context.make("Journal", ["name": name])
            for words in [100, 20] {
                let article = context.make("Article", ["title": "\(name) \(words)", "words": words])
                article.setValue(journal, forKey: "journal")
            }
        }
        _ = context.make("Journal", ["name": "Notes"])
    }

    @Test("computes new derived attributes for all objects")
    func derived() throws {
        let store = try MigratingStore()
        let (_, after) = try store.migrate(Self.old, to: Self.new, fill)
        let journals = after.objects.filter { $0.key.hasPrefix("Journal/") }.values
        #expect(Set(journals.compactMap { $0["loud"] }) == ["ANNALS", "LETTERS", "NOTES"])
        #expect(journals.compactMap { $0["count"] }.sorted() == ["0", "2", "2"])
        #expect(journals.compactMap { $0["words"] }.sorted() == ["0", "120", "120"])
        let articles = after.objects.filter { $0.key.hasPrefix("Article/") }.values
        #expect(articles.compactMap { $0["of"] }.sorted() == ["Annals", "Annals", "Letters", "Letters"])
    }

    @Test("computes those anew whose expression changed")
    func changed() throws {
        let store = try MigratingStore()
        let (before, after) = try store.migrate(
            "Journal: name String, shown String derived uppercase:(name)",
            to: "Journal: name String, shown String derived lowercase:(name), pages Integer32"
        ) { _ = $0.make("Journal", ["name": "Annals"]) }
        #expect(before.objects.values.map { $0["shown"] } == ["ANNALS"])
        #expect(after.objects.values.map { $0["shown"] } == ["annals"])
    }

    @Test("computes them once: opening the store again writes nothing")
    func once() throws {
        let store = try MigratingStore()
        _ = try store.migrate(Self.old, to: Self.new, fill)
        let head = try StoredTables.head(store.url)
        try store.with(Self.new)
        #expect(try StoredTables.head(store.url) == head)
    }

    @Test("computes them at the next opening if it died before")
    func interrupted() throws {
        let store = try MigratingStore()
        try store.with(Self.old, fill)
        let fileSystem = HeardFileSystem()
        fileSystem.hear(
            MigrationMoment.placed.listener(of: store.url.path) {
                fileSystem.hear { (_, path) throws(FileError) in throw FileError("change it", path: path, errno: EIO) }
            })
        #expect(throws: (any Error).self) { try store.open(Self.new, on: fileSystem) }
        let after = try store.with(Self.new)
        #expect(after.objects.values.compactMap { $0["count"] }.sorted() == ["0", "2", "2"])
        let dumps = try StoredTables.dumps(store.url)
        #expect(dumps.present == dumps.rebuilt)
    }

    @Test("asks no rule of validation")
    func rules() throws {
        let store = try MigratingStore()
        let model = try ModelText.model(
            "Journal: name String, !loud String derived uppercase:(name), !pages Integer32 = 0")
        let pages = model.entitiesByName["Journal"]?.attributesByName["pages"]
        pages?.setValidationPredicates([NSPredicate(format: "SELF > 5")], withValidationWarnings: ["few"])
        try store.with("Journal: name String") { _ = $0.make("Journal", ["name": "Annals"]) }
        #expect(try store.with(model).objects.values.map { $0["loud"] } == ["ANNALS"])
    }

    @Test("gives objects the default of a transformable attribute, and those in a composite one")
    func defaults() throws {
        let store = try MigratingStore()
        try store.with("Journal: name String") { _ = $0.make("Journal", ["name": "Annals"]) }
        let tags = ModelSketch.attribute("tags", .transformableAttributeType)
        tags.defaultValue = ["new", "unread"] as NSArray
        let street = ModelSketch.attribute("street")
        street.defaultValue = "Broadway"
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.isOptional = true
        address.elements = [street, ModelSketch.attribute("city")]
        let model = ModelSketch.model(
            ModelSketch.entity("Journal", [ModelSketch.attribute("name"), tags, address]))
        let coordinator = try store.coordinator(model)
        let context = coordinator.context()
        let journal = try #require(
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Journal")).first)
        #expect(journal.value(forKey: "tags") as? [String] == ["new", "unread"])
        #expect((journal.value(forKey: "address") as? [String: Any])?["street"] as? String == "Broadway")
    }

    @Test("makes no object of the program's classes")
    func classes() throws {
        let store = try MigratingStore()
        try store.with("Watched: name String") { _ = $0.make("Watched", ["name": "Annals"]) }
        let model = try ModelText.model("Watched: name String, loud String derived uppercase:(name)")
        model.entitiesByName["Watched"]?.managedObjectClassName = NSStringFromClass(WatchedObject.self)
        let coordinator = try store.coordinator(model)
        #expect(WatchedObject.count.load(ordering: .relaxed) == 0)
        let context = coordinator.context()
        let object = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Watched")).first
        #expect(object is WatchedObject)
        #expect(object?.value(forKey: "loud") as? String == "ANNALS")
    }
}

/// A class that counts its objects that came from the store.
final class WatchedObject: NSManagedObject, @unchecked Sendable {
    static let count = Atomic(0)

    override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.count.add(1, ordering: .relaxed)
    }
}
