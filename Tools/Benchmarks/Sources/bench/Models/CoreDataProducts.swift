import CoreData

/// `product` as a managed object.
final class ManagedProduct: NSManagedObject {
    @NSManaged var name: String
    @NSManaged var number: Int
    @NSManaged var price: Double
    @NSManaged var isActive: Bool

    func fill(_ row: Int) {
        name = ProductData.name(row)
        number = ProductData.number(row)
        price = ProductData.price(row)
        isActive = ProductData.isActive(row)
    }

    var digest: Int64 { ProductData.digest(name, number, price, isActive) }
}

/// The workloads of models with `import CoreData`.
enum CoreDataProducts {
    typealias Container = NSPersistentContainer

    private static var model: NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Product"
        entity.managedObjectClassName = NSStringFromClass(ManagedProduct.self)
        let types: [(String, NSAttributeType)] = [
            ("name", .stringAttributeType), ("number", .integer64AttributeType), ("price", .doubleAttributeType),
            ("isActive", .booleanAttributeType),
        ]
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = false
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    static func create(_ trial: Trial) throws -> NSPersistentContainer { try FirnStores.container(trial, model) }

    /// A container that is opened after the products were saved.
    static func created(_ trial: Trial) throws -> NSPersistentContainer {
        try insert(trial, into: create(trial).newBackgroundContext())
        let container = try create(trial)
        try catchUpTables(container.newBackgroundContext())
        try FirnStores.rest(trial)
        return container
    }

    static func insert(_ trial: Trial, into context: NSManagedObjectContext) throws {
        try context.performAndWait {
            for row in 0..<trial.count(ProductData.count) { ManagedProduct(context: context).fill(row) }
            try context.save()
        }
        try catchUpTables(context)
    }

    static func catchUpTables(_ context: NSManagedObjectContext) throws {
        let request = request()
        request.fetchLimit = 1
        _ = try context.performAndWait { try context.fetch(request) }
    }

    static func read(_ container: NSPersistentContainer, into digest: inout Digest) throws {
        try read(request(), container, into: &digest)
    }

    static func sort(_ container: NSPersistentContainer, into digest: inout Digest) throws {
        let request = request()
        request.predicate = NSPredicate(format: "price > %lf AND isActive == YES", ProductData.middlePrice)
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true), NSSortDescriptor(key: "number", ascending: true),
        ]
        try read(request, container, into: &digest)
    }

    static func update(_ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for product in try context.fetch(request()) where product.number % 2 == 0 {
                product.price += 1
                product.isActive.toggle()
            }
            try context.save()
        }
        try catchUpTables(context)
    }

    static func delete(_ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for product in try context.fetch(request()) { context.delete(product) }
            try context.save()
        }
        try catchUpTables(context)
    }

    private static func request() -> NSFetchRequest<ManagedProduct> {
        let request = NSFetchRequest<ManagedProduct>(entityName: "Product")
        request.returnsObjectsAsFaults = false
        return request
    }

    private static func read(
        _ request: NSFetchRequest<ManagedProduct>, _ container: NSPersistentContainer, into digest: inout Digest
    ) throws {
        let context = container.newBackgroundContext()
        var sums = digest
        try context.performAndWait {
            for product in try context.fetch(request) { sums.add(product.digest) }
        }
        digest = sums
    }
}
