import CoreData
import Synchronization
import Testing

/// Objects made by an entity, whatever class is named in the call. Each class is written as an application would
/// write it, in a file that imports `CoreData` alone.
@Suite("Classes of objects that are made by an entity")
struct EntityClassConformanceTests {
    private let context: NSManagedObjectContext
    private let entities: [String: NSEntityDescription]

    init() throws {
        let model = NSManagedObjectModel()
        model.entities = [
            ("Rock", Rock.self), ("Gem", Gem.self), ("Fossil", Fossil.self), ("Shell", Shell.self),
            ("Marked", MarkedShell.self),
        ].map { name, type in
            let entity = NSEntityDescription()
            entity.name = name
            entity.managedObjectClassName = "CoreDataTests.\(type)"
            let weight = NSAttributeDescription()
            weight.name = "weight"
            weight.attributeType = .doubleAttributeType
            weight.defaultValue = 1.5
            entity.properties = [weight]
            return entity
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        entities = model.entitiesByName
    }

    private func entity(_ name: String) throws -> NSEntityDescription { try #require(entities[name]) }

    @Test("m.18 NSManagedObject(entity:insertInto:) makes an object of the entity's class")
    func plainInitializer() throws {
        try context.performAndWait {
            let rock = NSManagedObject(entity: try entity("Rock"), insertInto: context)
            #expect(type(of: rock) == Rock.self)
            #expect((rock as? Rock)?.weight == 1.5)
            #expect((rock as? Rock)?.isAwake == true)
            #expect(context.insertedObjects == [rock])
        }
    }

    @Test("m.18 so it does without a context, and the object can be inserted later")
    func withoutContext() throws {
        try context.performAndWait {
            let rock = NSManagedObject(entity: try entity("Rock"), insertInto: nil)
            #expect(rock is Rock)
            context.insert(rock)
            #expect(context.insertedObjects == [rock])
        }
    }

    @Test("m.18 a class in a variable makes objects of the entity's class, by that class's initializer")
    func metatype() throws {
        try context.performAndWait {
            let anyClass: NSManagedObject.Type = Rock.self
            #expect(anyClass.init(entity: try entity("Rock"), insertInto: context) is Rock)
            let gem = anyClass.init(entity: try entity("Gem"), insertInto: context)
            #expect((gem as? Gem)?.facets == 8)
        }
    }

    @Test("m.18 a direct subclass overrides the initializer, and has designated ones of its own")
    func subclasses() throws {
        try context.performAndWait {
            #expect(Gem(entity: try entity("Gem"), insertInto: context).facets == 8)
            let fossil = Fossil(age: 65, entity: try entity("Fossil"), in: context)
            #expect(fossil.age == 65)
            #expect(context.insertedObjects.contains(fossil))
        }
    }

    @Test("m.18 a base class with stored properties makes objects of the entity's class, if that adds none")
    func baseClass() throws {
        try context.performAndWait {
            let shell = Specimen(entity: try entity("Shell"), insertInto: context)
            #expect(type(of: shell) == Shell.self)
            #expect(shell.labels == ["new"])
            #expect(context.insertedObjects == [shell])
            // A larger object would have a property that nobody has initialized.
            let marked = Specimen(entity: try entity("Marked"), insertInto: nil)
            #expect(type(of: marked) == Specimen.self)
            #expect(type(of: Specimen(entity: try entity("Rock"), insertInto: nil)) == Specimen.self)
        }
    }

    @Test("m.18 an object whose class was chosen by its entity is released as others are")
    func released() throws {
        weak var object: NSManagedObject?
        do {
            let made = NSManagedObject(entity: try entity("Rock"), insertInto: nil)
            object = made
            #expect(object != nil)
        }
        #expect(object == nil)
    }
}

class Rock: NSManagedObject {
    var weight: Double { value(forKey: "weight") as? Double ?? 0 }
    var isAwake: Bool { hasAwakened.withLock { $0.contains(ObjectIdentifier(self)) } }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        _ = hasAwakened.withLock { $0.insert(ObjectIdentifier(self)) }
    }
}

/// Tests run at the same time.
private let hasAwakened = Mutex<Set<ObjectIdentifier>>([])

class Gem: NSManagedObject {
    let facets: Int

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        facets = 8
        super.init(entity: entity, insertInto: context)
    }
}

class Fossil: NSManagedObject {
    var age = 0

    init(age: Int, entity: NSEntityDescription, in context: NSManagedObjectContext) {
        self.age = age
        super.init(entity: entity, insertInto: context)
    }
}

class Specimen: NSManagedObject {
    var labels = ["new"]
    var isFragile = false
}

class Shell: Specimen {
    var weight: Double { value(forKey: "weight") as? Double ?? 0 }
}

class MarkedShell: Specimen {
    var isMarked = true
}
