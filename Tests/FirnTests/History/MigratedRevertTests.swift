import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("Reverting a transaction from before a migration")
struct MigratedRevertTests {
    private func transactions(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }

    /// The slots of `tags` and of `books` are others than in the record.
    @Test("takes members out of the relationship into which they came")
    func members() throws {
        let store = try MigratingStore()
        try store.with(
            """
            Book: area String, title String, tags ->> Tag.books
            Tag: area String, label String, books ->> Book.tags
            """
        ) { context in
            let (book, tag) = (context.make("Book", ["title": "Notes"]), context.make("Tag", ["label": "math"]))
            try context.save()
            book.setValue([tag] as Set<NSManagedObject>, forKey: "tags")
        }
        let coordinator = try store.coordinator(
            ModelText.model(
                """
                Book: title String, tags ->> Tag.books
                Tag: label String, books ->> Book.tags
                """))
        let context = coordinator.context()
        try context.revert(#require(transactions(context).last))
        try context.save()
        let book = try #require(try coordinator.context().all("Book").first)
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
    }

    private static let models = ["Person: name String", "Person: name String, !city String = Rome"]

    @Test("does not take the default of a new attribute for a later change")
    func inserted() throws {
        let store = try MigratingStore()
        try store.with(Self.models[0]) { _ = $0.make("Person", ["name": "Ada"]) }
        let context = try store.coordinator(ModelText.model(Self.models[1])).context()
        try context.revert(#require(transactions(context).first))
        try context.save()
        #expect(try context.all("Person").isEmpty)
    }

    @Test("leaves what comes back the defaults of new attributes")
    func deleted() throws {
        let store = try MigratingStore()
        try store.with(Self.models[0]) { context in
            let ada = context.make("Person", ["name": "Ada"])
            try context.save()
            context.delete(ada)
        }
        let context = try store.coordinator(ModelText.model(Self.models[1])).context()
        try context.revert(#require(transactions(context).last))
        try context.save()
        #expect(try context.all("Person").map { $0.value(forKey: "city") as? String } == ["Rome"])
    }
}
