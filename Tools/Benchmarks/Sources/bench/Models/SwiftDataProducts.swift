#if SwiftData
import Foundation
import SwiftData

/// `product` as a model.
@Model
final class Product {
    var name: String
    var number: Int
    var price: Double
    var isActive: Bool

    init(name: String, number: Int, price: Double, isActive: Bool) {
        self.name = name
        self.number = number
        self.price = price
        self.isActive = isActive
    }

    convenience init(row: Int) {
        self.init(
            name: ProductData.name(row), number: ProductData.number(row), price: ProductData.price(row),
            isActive: ProductData.isActive(row))
    }

    var digest: Int64 { ProductData.digest(name, number, price, isActive) }
}

/// The workloads of models with `import SwiftData`.
enum SwiftDataProducts {
    typealias Container = ModelContainer

    static func create(_ trial: Trial) throws -> ModelContainer {
        let url = trial.folder.appendingPathComponent("firn.sqlite")
        return try ModelContainer(for: Product.self, configurations: ModelConfiguration(url: url))
    }

    /// A container that is opened after the products were saved.
    static func created(_ trial: Trial) throws -> ModelContainer {
        try insert(trial, into: create(trial))
        let container = try create(trial)
        try catchUpTables(container)
        try FirnStores.rest(trial)
        return container
    }

    static func insert(_ trial: Trial, into container: ModelContainer) throws {
        let context = ModelContext(container)
        for row in 0..<trial.count(ProductData.count) { context.insert(Product(row: row)) }
        try context.save()
        try catchUpTables(container)
    }

    static func catchUpTables(_ container: ModelContainer) throws {
        var descriptor = FetchDescriptor<Product>()
        descriptor.fetchLimit = 1
        _ = try ModelContext(container).fetch(descriptor)
    }

    static func read(_ container: ModelContainer, into digest: inout Digest) throws {
        for product in try ModelContext(container).fetch(FetchDescriptor<Product>()) { digest.add(product.digest) }
    }

    static func sort(_ container: ModelContainer, into digest: inout Digest) throws {
        let price = ProductData.middlePrice
        let descriptor = FetchDescriptor<Product>(
            predicate: #Predicate { $0.price > price && $0.isActive },
            sortBy: [SortDescriptor(\.name, comparator: .lexical), SortDescriptor(\.number)])
        for product in try ModelContext(container).fetch(descriptor) { digest.add(product.digest) }
    }

    static func update(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        for product in try context.fetch(FetchDescriptor<Product>()) where product.number % 2 == 0 {
            product.price += 1
            product.isActive.toggle()
        }
        try context.save()
        try catchUpTables(container)
    }

    static func delete(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        for product in try context.fetch(FetchDescriptor<Product>()) { context.delete(product) }
        try context.save()
        try catchUpTables(container)
    }
}
#endif
