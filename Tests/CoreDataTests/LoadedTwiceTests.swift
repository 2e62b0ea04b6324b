import CoreData
import Testing

/// Models that were loaded several times, as containers in parallel tests do: none disturbs another.
@Suite("A model that is loaded twice")
struct LoadedTwiceTests {
    /// A container with a model of its own, and a cup of this number.
    private func container(_ number: Int) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Cups", managedObjectModel: Self.model())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try container.load()
        try container.viewless { context in
            Cup(context: context).number = Int64(number)
            try context.save()
        }
        return container
    }

    private static func model() -> NSManagedObjectModel {
        let (cup, saucer) = (entity("Cup", Cup.self), entity("Saucer", Saucer.self))
        let (under, on) = (NSRelationshipDescription(), NSRelationshipDescription())
        (under.name, under.destinationEntity, under.inverseRelationship) = ("saucer", saucer, on)
        (on.name, on.destinationEntity, on.inverseRelationship) = ("cup", cup, under)
        (under.maxCount, on.maxCount) = (1, 1)
        cup.properties.append(under)
        saucer.properties.append(on)
        let model = NSManagedObjectModel()
        model.entities = [cup, saucer]
        return model
    }

    private static func entity(_ name: String, _ type: AnyClass) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(type)
        let number = NSAttributeDescription()
        (number.name, number.attributeType, number.defaultValue) = ("number", .integer64AttributeType, 0)
        entity.properties = [number]
        return entity
    }

    @Test("gives each context objects of its own model, by every way to name the entity")
    func ownEntities() throws {
        let containers = try (0..<3).map(container)
        for container in containers + containers.reversed() {
            let own = try #require(container.managedObjectModel.entitiesByName["Cup"])
            try container.viewless { context in
                let cups: [NSManagedObject] = [
                    Cup(context: context), Cup(entity: Cup.entity(), insertInto: context),
                    NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context),
                    NSManagedObject(entity: Cup.entity(), insertInto: context),
                ]
                for cup in cups {
                    #expect(cup is Cup)
                    #expect(cup.entity === own)
                }
                context.rollback()
            }
        }
    }

    @Test("fetches from each container what that has, by every way to make the request")
    func requests() throws {
        let containers = try (0..<3).map(container)
        for (number, container) in containers.enumerated() {
            try container.viewless { context in
                let byEntity = NSFetchRequest<Cup>()
                byEntity.entity = Cup.entity()
                let byOther = NSFetchRequest<Cup>()
                byOther.entity = containers[(number + 1) % 3].managedObjectModel.entitiesByName["Cup"]
                for request in [NSFetchRequest<Cup>(entityName: "Cup"), byEntity, byOther] {
                    request.predicate = NSPredicate(format: "number == %d", number)
                    let cups = try context.fetch(request)
                    #expect(cups.map(\.number) == [Int64(number)])
                    #expect(cups.allSatisfy { $0.entity.managedObjectModel === container.managedObjectModel })
                }
                let count = try context.count(for: Cup.fetchRequest())
                #expect(count == 1)
                let deletion = NSBatchDeleteRequest(fetchRequest: Cup.fetchRequest())
                deletion.resultType = .resultTypeCount
                let result = try context.execute(deletion) as? NSBatchDeleteResult
                #expect(result?.result as? Int == 1)
            }
        }
    }

    @Test("relates, validates and saves objects made of another instance's entity")
    func relating() throws {
        let containers = try (0..<2).map(container)
        for container in containers {
            try container.viewless { context in
                let saucer = Saucer(entity: Saucer.entity(), insertInto: context)
                let cup = Cup(context: context)
                cup.saucer = saucer
                #expect(saucer.cup === cup)
                try context.save()
                let again = try context.existingObject(with: saucer.objectID)
                #expect(again === saucer)
            }
        }
    }

    @Test("is loaded by many threads at once, each of which uses a container of its own")
    func threads() {
        DispatchQueue.concurrentPerform(iterations: 50) { number in
            do {
                let container = try container(number)
                try container.viewless { context in
                    let cups = try context.fetch(NSFetchRequest<Cup>(entityName: "Cup"))
                    #expect(cups.map(\.number) == [Int64(number)])
                    let saucer = Saucer(context: context)
                    cups[0].saucer = saucer
                    #expect(saucer.entity === container.managedObjectModel.entitiesByName["Saucer"])
                    #expect(Cup.entity().name == "Cup")
                    try context.save()
                    let count = try context.count(for: Saucer.fetchRequest())
                    #expect(count == 1)
                }
                try container.fork().viewless { context in
                    let count = try context.count(for: Cup.fetchRequest())
                    #expect(count == 1)
                }
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("stays usable when the one that was loaded last is gone")
    func goneAgain() throws {
        let first = try container(1)
        do { _ = try container(2) }
        try first.viewless { context in
            let cup = Cup(entity: Cup.entity(), insertInto: context)
            #expect(cup.entity === first.managedObjectModel.entitiesByName["Cup"])
            let count = try context.count(for: Cup.fetchRequest())
            #expect(count == 2)
        }
    }
}

final class Cup: NSManagedObject {
    var number: Int64 {
        get { value(forKey: "number") as? Int64 ?? -1 }
        set { setValue(newValue, forKey: "number") }
    }

    var saucer: Saucer? {
        get { value(forKey: "saucer") as? Saucer }
        set { setValue(newValue, forKey: "saucer") }
    }
}

final class Saucer: NSManagedObject {
    var cup: Cup? { value(forKey: "cup") as? Cup }
}

extension NSPersistentContainer {
    /// Runs `body` with a new private context.
    fileprivate func viewless(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = newBackgroundContext()
        try context.performAndWait { try body(context) }
    }
}
