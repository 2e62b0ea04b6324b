import CoreData
import Testing

/// Objects made by classes that are known only as `Self` or `T`, as code for Apple's systems does.
@Suite("Initializers of classes known only as Self or T")
struct GenericMakingTests {
    private let context: NSManagedObjectContext

    init() throws {
        let model = NSManagedObjectModel()
        model.entities = [("Plant", Plant.self), ("Tree", Tree.self)].map { name, type in
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "CoreDataTests.\(type)"
            return entity
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func make<T: NSManagedObject>(_ type: T.Type) -> T { T(context: context) }

    @Test("make objects of that class, by its own initializer")
    func kinds() {
        context.performAndWait {
            let objects: [NSManagedObject] = [
                make(Tree.self), Tree.create(in: context), Tree.createInEntity("Tree", context),
                Tree.plant(in: context), Tree(context: context), Tree(rings: 3, context: context),
            ]
            #expect(objects.allSatisfy { type(of: $0) == Tree.self && $0.entity.name == "Tree" })
            #expect(objects.compactMap { ($0 as? Tree)?.seen } == Array(repeating: "Tree", count: 6))
            #expect((objects.last as? Tree)?.rings == 3)
            #expect(context.insertedObjects == Set(objects))
            #expect(type(of: make(Plant.self)) == Plant.self)
        }
    }

    @Test("make objects of a subclass through an initializer that it inherits")
    func inherited() {
        context.performAndWait {
            let tree = Tree(height: 5, context: context)
            #expect(tree.entity.name == "Tree")
            #expect(tree.height == 5)
            #expect(tree.leaves == [1, 2])
        }
    }
}

protocol Growing: NSManagedObject {}

extension Growing {
    static func plant(in context: NSManagedObjectContext) -> Self { Self(context: context) }
}

extension NSManagedObject {
    class func create(in context: NSManagedObjectContext) -> Self { self.init(context: context) }

    class func createInEntity(_ name: String, _ context: NSManagedObjectContext) -> Self {
        let entity = NSEntityDescription.entity(forEntityName: name, in: context)!
        return self.init(entity: entity, insertInto: context)
    }
}

class Plant: NSManagedObject, Growing {
    var height = 0

    convenience init(height: Int, context: NSManagedObjectContext) {
        self.init(context: context)
        self.height = height
    }
}

final class Tree: Plant {
    let seen: String?
    var rings = 0
    let leaves = [1, 2]

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        seen = entity.name
        super.init(entity: entity, insertInto: context)
    }

    convenience init(rings: Int, context: NSManagedObjectContext) {
        self.init(entity: Self.entity(), insertInto: context)
        self.rings = rings
    }
}
