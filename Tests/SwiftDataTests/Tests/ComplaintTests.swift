import Foundation
import SwiftData
import Testing

@Model
final class Shelf {
    var name: String
    @Relationship(.ordered) var books: [Book] = []
    var best: Book?

    init(name: String) { self.name = name }
}

@Model
final class Book {
    var title: String
    @Attribute(.codable) var size: Size?

    init(title: String) { self.title = title }
}

struct Size: Codable, Equatable {
    var width: Int
    var height: Int
}

enum OldShop: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    struct Label: Codable {
        var text: String
    }

    @Model final class Item {
        var label: Label
        init(label: Label) { self.label = label }
    }
}

enum NewShop: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    struct Label: Codable {
        var text: String
        var color: String
        var weight: Int?
    }

    @Model final class Item {
        var label: Label
        init(label: Label) { self.label = label }
    }
}

enum OtherPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstVersion.self] }
    static var stages: [MigrationStage] { [] }
}

@Suite("What users of Apple's complain of does not happen here")
final class ComplaintTests {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)/Shop.store")

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    @Test("complaint 2: a relationship that nothing leads back from is nil after its model is deleted")
    func oneSided() throws {
        let context = try context()
        let (shelf, book) = (Shelf(name: "S"), Book(title: "B"))
        shelf.best = book
        context.insert(shelf)
        try context.save()
        context.delete(book)
        try context.save()
        #expect(shelf.best == nil)
        let other = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Shelf>()).first)
        #expect(other.best == nil)
    }

    @Test("complaint 7: an ordered relationship keeps the order of the array")
    func ordered() throws {
        let context = try context()
        let shelf = Shelf(name: "S")
        shelf.books = ["c", "a", "b"].map { Book(title: $0) }
        context.insert(shelf)
        try context.save()
        let other = ModelContext(context.container)
        let same = try #require(try other.fetch(FetchDescriptor<Shelf>()).first)
        #expect(same.books.map(\.title) == ["c", "a", "b"])
        same.books.swapAt(0, 2)
        try other.save()
        let third = try ModelContext(context.container).fetch(FetchDescriptor<Shelf>()).first
        #expect(third?.books.map(\.title) == ["b", "a", "c"])
    }

    @Test("complaint 16: a value is stored as it encodes itself if the attribute says so")
    func codable() throws {
        let context = try context()
        let book = Book(title: "B")
        book.size = Size(width: 1, height: 2)
        context.insert(book)
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Book>()).first?.size == book.size)
        let schema = context.container.schema
        #expect(schema.entity(for: Book.self)?.attributesByName["size"]?.isCodable == true)
    }

    @Test("complaint 16: a structure may grow: the new part of an older row is empty")
    func grown() throws {
        do {
            let schema = Schema(versionedSchema: OldShop.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            old.insert(OldShop.Item(label: OldShop.Label(text: "T")))
            try old.save()
        }
        let schema = Schema(versionedSchema: NewShop.self)
        let new = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
        let label = try #require(try new.fetch(FetchDescriptor<NewShop.Item>()).first).label
        #expect(label.text == "T")
        #expect(label.color == "")
        #expect(label.weight == nil)
    }

    @Test("complaint 14: a store of no version of a plan is refused, with the entities that differ")
    func unknownVersion() throws {
        do {
            let schema = Schema(versionedSchema: OldShop.self)
            let old = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            old.insert(OldShop.Item(label: OldShop.Label(text: "T")))
            try old.save()
        }
        do {
            let schema = Schema(versionedSchema: FirstVersion.self)
            _ = try ModelContainer(
                for: schema, migrationPlan: OtherPlan.self, configurations: ModelConfiguration(url: url))
            Issue.record("the store was opened")
        } catch let error as SwiftDataError {
            #expect(error == .unknownSchema)
            #expect(error.message.contains("Item"))
        }
    }
}
