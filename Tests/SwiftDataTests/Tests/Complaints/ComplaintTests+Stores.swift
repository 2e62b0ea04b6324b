import Foundation
import SwiftData
import Testing

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

/// Orders whose lines have the names of products, which become models.
enum NamedProducts: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Order.self, Line.self] }

    @Model final class Order {
        var number: Int
        @Relationship(deleteRule: .cascade, inverse: \Line.order) var lines: [Line] = []
        init(number: Int) { self.number = number }
    }

    @Model final class Line {
        var product: String
        var order: Order?
        init(product: String) { self.product = product }
    }
}

enum ModelProducts: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Order.self, Line.self, Product.self] }

    @Model final class Order {
        var number: Int
        @Relationship(deleteRule: .cascade, inverse: \Line.order) var lines: [Line] = []
        init(number: Int) { self.number = number }
    }

    @Model final class Line {
        @Attribute(originalName: "product") var oldName: String
        var order: Order?
        var item: Product?
        init(oldName: String) { self.oldName = oldName }
    }

    @Model final class Product {
        var name: String
        @Relationship(inverse: \Line.item) var lines: [Line] = []
        init(name: String) { self.name = name }
    }
}

enum ProductPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [NamedProducts.self, ModelProducts.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: NamedProducts.self, toVersion: ModelProducts.self) { old in
                for order in try old.fetch(FetchDescriptor<NamedProducts.Order>()) {
                    for line in order.lines { line.product = line.product.lowercased() }
                }
            } didMigrate: { new in
                var products: [String: ModelProducts.Product] = [:]
                for order in try new.fetch(FetchDescriptor<ModelProducts.Order>()) {
                    for line in order.lines {
                        let product = products[line.oldName] ?? ModelProducts.Product(name: line.oldName)
                        products[line.oldName] = product
                        line.item = product
                    }
                }
            }
        ]
    }
}

/// The complaints about stores: what opens, and what does not.
extension ComplaintTests {
    private var url: URL { folder.appendingPathComponent("Shop.store") }

    private func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
        let schema = Schema(versionedSchema: version)
        return ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
    }

    private func saveOldItem() throws {
        let old = try open(OldShop.self)
        old.insert(OldShop.Item(label: OldShop.Label(text: "T")))
        try old.save()
    }

    @Test("complaint 14: a store of no version of a plan is refused, with the entities that differ")
    func unknownVersion() throws {
        try saveOldItem()
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

    @Test("complaint 15: a stage of one's own reads and sets relationships, before and after")
    func customStage() throws {
        do {
            let old = try open(NamedProducts.self)
            let order = NamedProducts.Order(number: 1)
            order.lines = ["Pen", "Ink", "PEN"].map { NamedProducts.Line(product: $0) }
            old.insert(order)
            try old.save()
        }
        let schema = Schema(versionedSchema: ModelProducts.self)
        let configuration = ModelConfiguration(url: url)
        let new = ModelContext(
            try ModelContainer(for: schema, migrationPlan: ProductPlan.self, configurations: configuration))
        let products = try new.fetch(FetchDescriptor<ModelProducts.Product>(sortBy: [SortDescriptor(\.name)]))
        #expect(products.map(\.name) == ["ink", "pen"])
        #expect(products.map(\.lines.count) == [1, 2])
        #expect(products.last?.lines.allSatisfy { $0.order?.number == 1 } == true)
    }

    @Test("complaint 16: a structure may grow: the new part of an older row is empty")
    func grown() throws {
        try saveOldItem()
        let label = try #require(try open(NewShop.self).fetch(FetchDescriptor<NewShop.Item>()).first).label
        #expect(label.text == "T")
        #expect(label.color == "")
        #expect(label.weight == nil)
    }

    @Test("complaint 16: a value is stored as it encodes itself if the attribute says so")
    func codable() throws {
        let context = ModelContext(try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: url)))
        let book = Book(title: "B")
        book.size = Size(width: 1, height: 2)
        context.insert(book)
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Book>()).first?.size == book.size)
        let schema = context.container.schema
        #expect(schema.entity(for: Book.self)?.attributesByName["size"]?.isCodable == true)
    }

    @Test("complaint 17: a store that cannot be opened is named, and left as it is")
    func unreadable() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("no database".utf8).write(to: url)
        do {
            _ = try open(OldShop.self)
            Issue.record("the store was opened")
        } catch let error as SwiftDataError {
            #expect(error == .loadIssueModelContainer)
            #expect(error.message.contains(url.path))
            #expect(error.underlyingError != nil)
        }
        #expect(try Data(contentsOf: url) == Data("no database".utf8))
    }

    @Test("complaint 17: a store that may not be written is opened for reading, and refuses a save")
    func readOnly() throws {
        try saveOldItem()
        let configuration = ModelConfiguration(url: url, allowsSave: false)
        let schema = Schema(versionedSchema: OldShop.self)
        let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
        #expect(try context.fetch(FetchDescriptor<OldShop.Item>()).map(\.label.text) == ["T"])
        context.insert(OldShop.Item(label: OldShop.Label(text: "U")))
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try open(OldShop.self).fetchCount(FetchDescriptor<OldShop.Item>()) == 1)
    }
}
