import CoreData
import Foundation
import PortedBase
import Testing

@Suite("A folder of sources for Apple's systems is compiled as it is")
@MainActor
struct PortedSourceTests {
    private func container() throws -> NSPersistentContainer {
        let person = NSEntityDescription()
        (person.name, person.managedObjectClassName) = ("Guest", "Guest")
        let name = NSAttributeDescription()
        (name.name, name.attributeType, name.defaultValue) = ("name", .stringAttributeType, "")
        let (best, isBestOf) = (NSRelationshipDescription(), NSRelationshipDescription())
        let friends = NSRelationshipDescription()
        for (relationship, name) in [(best, "best"), (isBestOf, "isBestOf"), (friends, "friends")] {
            (relationship.name, relationship.destinationEntity) = (name, person)
            relationship.maxCount = name == "best" ? 1 : 0
        }
        (best.inverseRelationship, isBestOf.inverseRelationship) = (isBestOf, best)
        friends.inverseRelationship = friends
        person.properties = [name, best, isBestOf, friends]
        let secret = NSEntityDescription()
        (secret.name, secret.managedObjectClassName) = ("Secret", "Secret")
        let code = NSAttributeDescription()
        (code.name, code.attributeType, code.defaultValue) = ("code", .integer64AttributeType, 0)
        secret.properties = [code]
        let model = NSManagedObjectModel()
        model.entities = [person, secret]
        let container = NSPersistentContainer(name: "Ported", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    @Test("A model finds a class by the name that Objective-C has for it")
    func className() throws {
        let container = try container()
        let context = container.viewContext
        let person = NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
        #expect(type(of: person) == AppGuest.self)
        #expect(AppGuest(context: context).entity.name == "Guest")
    }

    @Test("An override in an extension is called, and has the line of its own file")
    func lines() throws {
        let container = try container()
        let person = AppGuest(context: container.viewContext)
        #expect(person.name.hasSuffix("Guest+Life.swift:6"))
        #expect(person.fail().hasSuffix("Guest.swift:15"))
    }

    @Test("Accessors, key paths and casts of requests work")
    func objects() throws {
        let container = try container()
        let context = container.viewContext
        let (ada, ben) = (AppGuest(context: context), AppGuest(context: context))
        (ada.name, ben.name, ada.best) = ("Ada", "Ben", ben)
        ada.addToFriends(ben)
        try context.save()
        let request = try #require(Queries().named("Ben"))
        #expect(try context.fetch(request) == [ben])
        #expect(try context.fetch(Queries().all()).count == 2)
        #expect(ben.friends == [ada])
        #expect(ada.title == "best.name, name")
        #expect(Queries().keys() == ["friends.best.name", "best", "shown.name"])
        #expect(newSecret(in: context) == 7)
        #expect(Queries().members().count == 2)
    }

    @Test("A property has a type of a ported source of another target")
    func importedType() throws { #expect(try sipTaste() == .sweet) }

    @Test("A method observes notifications until it is removed")
    func observers() throws {
        let container = try container()
        let context = container.viewContext
        let queries = Queries()
        queries.start(context)
        _ = AppGuest(context: context)
        try context.save()
        #expect(queries.saveCount == 1)
        NotificationCenter.default.post(name: .init("stop"), object: nil)
        _ = AppGuest(context: context)
        try context.save()
        #expect(queries.saveCount == 1)
    }

    @Test("A property of Objective-C is read by its name, and its key path has the name")
    func objectiveCProperties() throws {
        let container = try container()
        let guest = AppGuest(context: container.viewContext)
        #expect(guest.value(forKey: "title") as? String == "best.name, name")
        #expect((\AppGuest.title as AnyKeyPath)._kvcKeyPathString == "title")
        #expect(guest.value(forKeyPath: "best.title") == nil)
        #expect(guest.nickname == nil && guest.value(forKey: "nickname") == nil)
    }

    @Test("A method that checks the value of its key is called, and may replace it")
    func checks() throws {
        let guest = AppGuest(context: try container().viewContext)
        var value: AnyObject? = " Ada " as NSString
        try guest.validateValue(&value, forKey: "name")
        #expect(value as? String == "Ada")
        guest.name = "?"
        #expect(throws: CocoaError.self) { try guest.validateForInsert() }
        guest.name = " Ben "
        try guest.validateForInsert()
        #expect(guest.name == "Ben")
        #expect(AppGuest.keyPathsForValuesAffectingValue(forKey: "title") == ["name"])
    }

    @Test("Private classes of one name in two files are two, and have accessors")
    func privateClasses() throws {
        #expect(try diaryTexts("a") == ["a good"])
        #expect(try ledgerSum() == 3)
    }

    @Test("A generic function makes the request that is counted, and that of a batch")
    func genericRequests() throws { #expect(try diaryCounts("a") == [1, 0]) }

    @Test("A change is announced by a key path")
    func announcedChange() throws {
        let context = try container().viewContext
        let guest = AppGuest(context: context)
        try context.save()
        guest.willChangeValue(for: \.name)
        guest.setPrimitiveValue("Ada", forKey: "name")
        guest.didChangeValue(for: \.name)
        #expect(guest.changedValues()["name"] as? String == "Ada")
        withExtendedLifetime(context) {}
    }

    @Test("A center of notifications has an initializer of its own, and a generic type any result as its argument")
    func ownCenter() { #expect(GuestCenter("a").keyed == ["a": 1]) }

    @Test("Predicates in memory read the properties of a plain class, and key paths have their names")
    func plainClass() {
        let cabinets = [Cabinet("Ada", []), Showcase("Ben", ["a", "b"])]
        #expect(cabinetMakers(cabinets) == [["Ben"], ["Ben"], ["Ben"], ["size", "books", "kind"]])
    }

    @Test("A list of arguments of C goes to formats of predicates and texts")
    func argumentLists() { #expect(diaryFormats("a == %d", 2) == ["a == 2", "a == 2"]) }

    @Test("A model finds a private class and one in a function by the name that NSStringFromClass gives it")
    func hiddenClasses() throws { #expect(try Habits().hiddenClasses() == [true, true, true]) }

    @Test("A model finds a class in a type by the name that NSStringFromClass gives it")
    func nestedClass() throws {
        #expect(try Ledger().pageNumber() == 4)
    }

    @Test("A mapping model of the folder is compiled")
    func mappingModel() throws {
        let url = try #require(Bundle.module.url(forResource: "Cellar 1 to 2", withExtension: "cdm"))
        #expect(NSMappingModel(contentsOf: url)?.entityMappings.map(\.name) == ["BottleToBottle"])
    }

    @Test("An override in an extension of a generated class is called, and has the line of its own file")
    func generatedClass() throws {
        let url = try #require(Bundle.module.url(forResource: "Cellar", withExtension: "momd"))
        let model = try #require(NSManagedObjectModel(contentsOf: url))
        let container = CellarContainer(name: "Cellar", managedObjectModel: model)
        #expect(Bottle(context: container.viewContext).year == 6)
    }

    @Test("A class inside of a function keeps its values")
    func localClass() throws { #expect(try Habits().localTexts(["b", "a"]) == ["a", "b"]) }

    @Test("values that are associated with objects are each object's own, and end with it")
    func associations() {
        let answer = Habits().associations()
        #expect(answer.own)
        #expect(answer.removed)
        #expect(!answer.friend)
        // Those of the last objects are released when values are set later.
        #expect((0...33).contains(answer.left))
    }

    @Test("a lock of os is held by one thread at a time")
    func unfairLock() { #expect(Habits().sum(1000) == 499_500) }

    @Test("Locks of objects are recursive, and a method that throws observes")
    func observing() { #expect(Habits().heard() == 2) }

    @Test("An observer that is removed for one sender hears the others")
    func observersOfSenders() { #expect(Habits().heardOfTwo() == 1) }

    @Test("Values are objects, and a program has a name")
    func foundation() {
        #expect(Habits().protection == NSString(string: FileProtectionType.complete.rawValue))
        #expect(Habits().flag == NSNumber(value: true))
        #expect(!Habits().identifier.isEmpty)
        #expect(Habits().processID == ProcessInfo.processInfo.processIdentifier)
    }

    @Test("A request that does not tell its results' type gives results of Core Data")
    func untypedRequest() throws {
        let context = try container().viewContext
        _ = NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
        #expect(try Habits().untyped(context).count == 1)
    }

    @Test("A file takes the place of another; where there is no new one, the old one stays")
    func replacedFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (old, new) = (folder.appendingPathComponent("old"), folder.appendingPathComponent("new"))
        try Data("old".utf8).write(to: old)
        try Data("new".utf8).write(to: new)
        #expect(try Sweeper().sweep(old, with: new) == old)
        #expect(throws: (any Error).self) { try Sweeper().sweep(old, with: new) }
        #expect(try Data(contentsOf: old) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["old"])
    }

    @Test("An operation whose end depends on another property ends for those that wait for it")
    func operations() {
        let (chore, shortChore, next) = (Chore(), ShortChore(), Operation())
        next.addDependency(chore)
        next.addDependency(shortChore)
        chore.start()
        shortChore.start()
        #expect(!next.isReady)
        chore.end()
        #expect(!next.isReady)
        shortChore.end()
        #expect(next.isReady)
    }
}
