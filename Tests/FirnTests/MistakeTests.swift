import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What a program may do wrong with a context and its objects, each with what it is told then.
@Suite("Mistakes with contexts and objects stop the program and say what to do")
struct MistakeTests {
    enum Mistake: String, Codable, CaseIterable {
        case abstractEntity, unknownEntity, classWithoutEntity
        case orderedAsSet, setAsOrdered, textAsMember, textAsMembers, setOfTexts, textAsDestination
        case unknownPrimitive, primitiveTextAsDestination, identifiersOfAttribute, settingFetched
        case assigningSaved, assigningToForeignStore
        case coordinatorOfChild, parentOfRoot, parentWithoutQueue
        case policyThatIsNone
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("each one", arguments: Mistake.allCases)
    func mistake(_ mistake: Mistake) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
            try mistake.make()
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(mistake.advice))
    }
    #endif
}

extension MistakeTests.Mistake {
    private final class Stranger: NSManagedObject {}

    var advice: String {
        switch self {
        case .abstractEntity: "Shape is an abstract entity: insert one of its subentities"
        case .unknownEntity: "in the model of the context: it has Author, Book, Poet, Tag"
        case .classWithoutEntity: "or name the entity with init(entity:insertInto:)"
        case .orderedAsSet: "is not an unordered to-many relationship: use mutableOrderedSetValue(forKey:)"
        case .setAsOrdered: "is not an ordered to-many relationship: use mutableSetValue(forKey:)"
        case .textAsMember: "holds managed objects, not Notes"
        case .textAsMembers: "desired type = NSSet, NSOrderedSet or [NSManagedObject]; given type = String"
        case .setOfTexts: "desired type = NSManagedObject for each member; given type = String; value = Notes"
        case .textAsDestination: "desired type = NSManagedObject; given type = String; value = Ada"
        case .unknownPrimitive: "primitive values are those of modeled properties"
        case .primitiveTextAsDestination: "\"author\" of Book takes an NSManagedObject"
        case .identifiersOfAttribute: "\"name\" of Author is not a relationship"
        case .settingFetched: "\"found\" of Seeker cannot be set: it has what its fetch request finds"
        case .assigningSaved: "only new objects can be assigned to one"
        case .assigningToForeignStore: "is not one of the context's coordinator: add it there first"
        case .coordinatorOfChild: "a context with a parent reaches the coordinator through it"
        case .parentOfRoot: "a context has a parent or a coordinator: set the coordinator to nil first"
        case .parentWithoutQueue: "a parent context needs a queue: use mainQueue or privateQueue"
        case .policyThatIsNone: "mergePolicy must be an NSMergePolicy, not String"
        }
    }

    func make() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let (author, book, tag) = (context.make("Author"), context.make("Book"), context.make("Tag"))
        switch self {
        case .abstractEntity:
            let shape = ModelSketch.entity("Shape", [])
            shape.isAbstract = true
            _ = try Library.inMemory(ModelSketch.model(shape)).context().make("Shape")
        case .unknownEntity: _ = NSEntityDescription.insertNewObject(forEntityName: "Nobody", into: context)
        case .classWithoutEntity: _ = Stranger(context: context)
        case .orderedAsSet: _ = author.mutableSetValue(forKey: "books")
        case .setAsOrdered: _ = tag.mutableOrderedSetValue(forKey: "books")
        case .textAsMember: tag.mutableSetValue(forKey: "books").add("Notes")
        case .textAsMembers: author.setValue("Notes", forKey: "books")
        case .setOfTexts: author.setValue(NSOrderedSet(object: "Notes"), forKey: "books")
        case .textAsDestination: book.setValue("Ada", forKey: "author")
        case .unknownPrimitive: author.setPrimitiveValue(41, forKey: "shoeSize")
        case .primitiveTextAsDestination: book.setPrimitiveValue("Ada", forKey: "author")
        case .identifiersOfAttribute: _ = author.objectIDs(forRelationshipNamed: "name")
        case .settingFetched:
            let entity = ModelSketch.entity("Seeker", [ModelSketch.attribute("name")])
            let found = NSFetchedPropertyDescription()
            found.name = "found"
            found.fetchRequest = NSFetchRequest(entityName: "Seeker")
            entity.properties.append(found)
            let seekers = try Library.inMemory(ModelSketch.model(entity)).context()
            seekers.make("Seeker").setValue([], forKey: "found")
        case .assigningSaved:
            try context.save()
            let other = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
            context.assign(author, to: other)
        case .assigningToForeignStore:
            context.assign(author, to: try Library.inMemory().persistentStores[0])
        case .coordinatorOfChild: context.makeChild().persistentStoreCoordinator = coordinator
        case .parentOfRoot: context.parent = coordinator.context()
        case .parentWithoutQueue:
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        case .policyThatIsNone:
            let (disputed, _) = try Dispute.make()
            disputed.mergePolicy = "mine"
            try disputed.save()
        }
    }
}
