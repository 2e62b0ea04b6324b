import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Each class is written as an application would write it: `init(entity:insertInto:)` is an ordinary initializer.
class ThingWithDefaults: NSManagedObject {
    var counter = 5
    let words = ["a", "b"]
}

class ThingWithOverride: NSManagedObject {
    let seen: String?

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        seen = entity.name
        super.init(entity: entity, insertInto: context)
    }
}

final class ThingBelowOverride: ThingWithOverride {
    var more = [1, 2, 3]

    convenience init(more: [Int], context: NSManagedObjectContext) {
        self.init(entity: Self.entity(), insertInto: context)
        self.more = more
    }
}

final class ThingOfType<Element>: NSManagedObject {
    var elements: [Element] = []
}

final class ThingWithOtherInitializer: NSManagedObject {
    let required: String

    init(required: String, entity: NSEntityDescription) {
        self.required = required
        super.init(entity: entity, insertInto: nil)
    }
}

@Suite("Initializers of subclasses")
struct SubclassInitializerTests {
    /// A coordinator whose one entity has objects of `type`.
    private func coordinator(_ type: NSManagedObject.Type) throws -> NSPersistentStoreCoordinator {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.managedObjectClassName = String(describing: type)
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return try Library.inMemory(model)
    }

    /// An object as it is made by name, and the same object as a fetch of another context makes it.
    private func madeAndFetched<T: NSManagedObject>(
        _ type: T.Type, body: (T) -> Void
    ) throws {
        let coordinator = try coordinator(type)
        let context = coordinator.context()
        let made = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        body(try #require(made as? T))
        try context.save()
        let reader = coordinator.context()
        let fetched = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        body(try #require(fetched.first as? T))
        withExtendedLifetime(reader) {}
    }

    @Test("stored properties of a subclass get their defaults")
    func defaults() throws {
        try madeAndFetched(ThingWithDefaults.self) {
            #expect($0.counter == 5)
            #expect($0.words == ["a", "b"])
        }
    }

    @Test("an override of init(entity:insertInto:) is called")
    func overriding() throws {
        try madeAndFetched(ThingWithOverride.self) { #expect($0.seen == "Thing") }
    }

    @Test("a subclass of a class with an override inherits it, and has its own defaults")
    func inherited() throws {
        try madeAndFetched(ThingBelowOverride.self) {
            #expect($0.seen == "Thing")
            #expect($0.more == [1, 2, 3])
        }
    }

    @Test("a convenience initializer delegates to init(entity:insertInto:)")
    func convenience() throws {
        let context = try coordinator(ThingBelowOverride.self).context()
        let made = ThingBelowOverride(more: [7], context: context)
        #expect(made.more == [7])
        #expect(context.insertedObjects == [made])
    }

    @Test("a generic subclass is made for its arguments")
    func generic() throws {
        let coordinator = try coordinator(ThingWithDefaults.self)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Thing"])
        let context = coordinator.context()
        let made = ThingOfType<String>(entity: entity, insertInto: context)
        made.elements.append("x")
        #expect(made.elements == ["x"])
    }

    @Test("the context and the entity are held once, not once more, by an object's making")
    func references() throws {
        weak var context: NSManagedObjectContext?
        weak var object: NSManagedObject?
        do {
            let coordinator = try coordinator(ThingWithDefaults.self)
            let made = coordinator.context()
            let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: made)
            context = made
            object = thing
            #expect(object != nil)
        }
        #expect(object == nil)
        #expect(context == nil)
    }

    @Test("a class with other designated initializers only cannot be made by name")
    func unimplemented() async {
        await #expect(processExitsWith: .failure) {
            let coordinator = try SubclassInitializerTests().coordinator(ThingWithOtherInitializer.self)
            let context = coordinator.context()
            _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        }
    }
}
