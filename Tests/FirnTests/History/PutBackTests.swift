import Firn
import FirnInspection
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Objects that get back what they had, also where a migration gave it another name.
@Suite("An object that is put back")
struct PutBackTests {
    private let store: MigratingStore

    init() throws { store = try MigratingStore() }

    private func putBack(
        _ name: String, in coordinator: NSPersistentStoreCoordinator, to sequence: SequenceNumber
    ) throws -> Reversal {
        let (object, property) = try ObjectName.withProperty(name)
        return try Reversal(
            .object(object, property: property, sequence: sequence), in: coordinator.persistentStores[0],
            of: coordinator, author: "test", name: "test"
        ) { try $1.save() }
    }

    private static let renamed = "Human was Person: fullName String was name"

    @Test("has a value again that a migration renamed since")
    func renamedProperty() throws {
        try store.with("Person: name String") { _ = $0.make("Person", ["name": "Ada"]) }
        let then = try StoredTables.head(store.url)
        try store.with(Self.renamed) { try $0.all("Human")[0].setValue("Grace", forKey: "fullName") }
        let coordinator = try store.coordinator(ModelText.model(Self.renamed))
        _ = try putBack("Human/1.fullName", in: coordinator, to: then)
        #expect(try coordinator.context().strings("Human", "fullName") == ["Ada"])
    }

    @Test("comes back with the values that a migration renamed since")
    func renamedObject() throws {
        try store.with("Person: name String") { _ = $0.make("Person", ["name": "Ada"]) }
        let then = try StoredTables.head(store.url)
        try store.with(Self.renamed) { try $0.delete($0.all("Human")[0]) }
        let coordinator = try store.coordinator(ModelText.model(Self.renamed))
        _ = try putBack("Human/1", in: coordinator, to: then)
        #expect(try coordinator.context().strings("Human", "fullName") == ["Ada"])
    }

    @Test("has the one object that it led to among those that it leads to now")
    func toMany() throws {
        let (old, new) = (
            "Person: books ->> Book.author\nBook: author -> Person.books",
            "Person: books ->> Book.authors\nBook: authors ->> Person.books was author"
        )
        try store.with(old) { context in
            let person = context.make("Person")
            _ = context.make("Book", ["author": person])
        }
        let then = try StoredTables.head(store.url)
        try store.with(new) { try $0.all("Book")[0].setValue(Set<NSManagedObject>(), forKey: "authors") }
        let coordinator = try store.coordinator(ModelText.model(new))
        _ = try putBack("Book/1", in: coordinator, to: then)
        let context = coordinator.context()
        let authors = try context.all("Book")[0].value(forKey: "authors") as? Set<NSManagedObject>
        #expect(try authors == Set(context.all("Person")))
    }

    @Test("is of its own entity again, also where another one above it is named")
    func subentity() throws {
        let model = "Book: title String\nNovel < Book: plot String"
        try store.with(model) { _ = $0.make("Novel", ["plot": "long"]) }
        let then = try StoredTables.head(store.url)
        try store.with(model) { try $0.delete($0.all("Novel")[0]) }
        let coordinator = try store.coordinator(ModelText.model(model))
        _ = try putBack("Book/1", in: coordinator, to: then)
        #expect(try coordinator.context().strings("Novel", "plot") == ["long"])
    }

    @Test("keeps a large value if the one that it had cannot be read")
    func largeValue() throws {
        let (model, files) = ("Book: cover Binary external", store.url.path + "-log/external")
        try store.with(model) { _ = $0.make("Book", ["cover": Data(repeating: 1, count: 200_000)]) }
        let then = try StoredTables.head(store.url)
        let old = try FileManager.default.contentsOfDirectory(atPath: files)
        let present = Data(repeating: 2, count: 200_000)
        try store.with(model) { try $0.all("Book")[0].setValue(present, forKey: "cover") }
        for name in old { try FileManager.default.removeItem(atPath: files + "/" + name) }
        let coordinator = try store.coordinator(ModelText.model(model))
        let reversal = try putBack("Book/1.cover", in: coordinator, to: then)
        #expect(reversal.obstacles.map { $0.text.contains("cannot be read") } == [true])
        let context = coordinator.context()
        #expect(try context.all("Book").map { $0.value(forKey: "cover") as? Data } == [present])
    }

    @Test("is not read as of a token of records that its store does not have")
    func futureToken() throws {
        let coordinator = try store.coordinator(ModelText.model("Person: name String"))
        let identifier = try #require(coordinator.persistentStores[0].identifier)
        let token = NSPersistentHistoryToken(transactionNumbers: [identifier: 9])
        #expect(throws: (any Error).self) { try coordinator.newContext(asOf: .token(token)) }
    }
}
