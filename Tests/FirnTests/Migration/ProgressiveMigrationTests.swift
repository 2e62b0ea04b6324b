import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A store of the first of ten versions, led to the tenth by nine mapping models of Xcode's format, as public code does
/// it: find the mapping model for the next version, migrate into a new file, and go on from there.
@Suite("A progressive migration over ten versions")
struct ProgressiveMigrationTests {
    private static let versions = [
        """
        Person: name String, age Integer32, pets ->> Pet.owner
        Pet: call String, weight Integer32, kind String, owner -> Person.pets
        """,
        // The name becomes two.
        """
        Person: first String, last String, age Integer32, pets ->> Pet.owner
        Pet: call String, weight Integer32, kind String, owner -> Person.pets
        """,
        // A number becomes a text of another name.
        """
        Person: first String, last String, years String, pets ->> Pet.owner
        Pet: call String, weight Integer32, kind String, owner -> Person.pets
        """,
        // A value comes from a related object.
        """
        Person: first String, last String, years String, pets ->> Pet.owner
        Pet: call String, weight Integer32, kind String, ownerName String, owner -> Person.pets
        """,
        // A new entity for what several objects share.
        """
        Person: first String, last String, years String, pets ->> Pet.owner, household -> Household.people
        Pet: call String, weight Integer32, kind String, ownerName String, owner -> Person.pets
        Household: surname String, people ->> Person.household
        """,
        // A shortcut over two relationships, from both ends.
        """
        Person: first String, last String, years String, pets ->> Pet.owner, household -> Household.people
        Pet: call String, weight Integer32, kind String, ownerName String, owner -> Person.pets, home -> Household.pets
        Household: surname String, people ->> Person.household, pets ->> Pet.home
        """,
        // Only a type changes, and some objects stay behind.
        """
        Person: first String, last String, years String, pets ->> Pet.owner, household -> Household.people
        Pet: call String, weight Integer64, kind String, ownerName String, owner -> Person.pets, home -> Household.pets
        Household: surname String, people ->> Person.household, pets ->> Pet.home
        """,
        // One entity becomes two below a common parent.
        """
        Person: first String, last String, years String, pets ->> Animal.owner, household -> Household.people
        abstract Animal: call String, weight Integer64, owner -> Person.pets
        Dog < Animal: ownerName String
        Cat < Animal: lives Integer16 = 9
        Household: surname String, people ->> Person.household
        """,
        // One of the two goes.
        """
        Person: first String, last String, years String, dogs ->> Dog.owner, household -> Household.people
        Dog: call String, weight Integer64, ownerName String, owner -> Person.dogs
        Household: surname String, people ->> Person.household
        """,
        // An entity that nothing is read for, and a value of the mapping's own.
        """
        Person: first String, last String, years String, tag String, dogs ->> Dog.owner, household -> Household.people
        Dog: call String, weight Integer64, ownerName String, owner -> Person.dogs
        Household: surname String, people ->> Person.household
        Note: text String
        """,
    ]

    private typealias Entity = XcodeMapping.Entity

    private static func same(_ name: String) -> Entity { Entity(source: name, destination: name) }

    private static let mappings: [[Entity]] = [
        [
            Entity(source: "Person", destination: "Person", policy: String(reflecting: NameSplitting.self)),
            same("Pet"),
        ],
        [
            Entity(
                source: "Person", destination: "Person", policy: String(reflecting: Spelling.self),
                values: ["years": .call("spell:", on: "entityPolicy", [.path("$source.age")])]),
            same("Pet"),
        ],
        [
            same("Person"),
            Entity(source: "Pet", destination: "Pet", values: ["ownerName": .path("$source.owner.first")]),
        ],
        [
            Entity(source: "Person", destination: "Person", policy: String(reflecting: Gathering.self)),
            same("Pet"), Entity(destination: "Household"),
        ],
        [
            same("Person"),
            Entity(
                source: "Pet", destination: "Pet",
                paths: ["home": ("$source.owner.household", "HouseholdToHousehold")]),
            Entity(
                source: "Household", destination: "Household",
                paths: ["pets": ("$source.people.@distinctUnionOfSets.pets", "PetToPet")]),
        ],
        [same("Person"), Entity(source: "Pet", destination: "Pet", filter: "weight < 100"), same("Household")],
        [
            same("Person"),
            Entity(name: "Dogs", source: "Pet", destination: "Dog", filter: "kind == \"dog\""),
            Entity(name: "Cats", source: "Pet", destination: "Cat", filter: "kind == \"cat\""),
            same("Household"),
        ],
        [
            Entity(source: "Person", destination: "Person", paths: ["dogs": ("$source.pets", "DogToDog")]),
            same("Dog"), same("Household"),
        ],
        [
            Entity(
                source: "Person", destination: "Person", userInfo: [("tag", "moved")],
                values: ["tag": .path("$entityMapping.userInfo.tag")]),
            same("Dog"), same("Household"),
            Entity(destination: "Note", policy: String(reflecting: Noting.self)),
        ],
    ]

    private let directory: TemporaryDirectory
    private let models: [NSManagedObjectModel]
    private let bundle: Bundle

    init() throws {
        directory = try TemporaryDirectory()
        models = try Self.versions.map(ModelText.model)
        let folder = directory.file("Mappings.bundle")
        for (index, entities) in Self.mappings.enumerated() {
            let mapping = XcodeMapping(source: models[index], destination: models[index + 1], entities: entities)
            try mapping.write(to: folder.appending(path: "\(index + 1) to \(index + 2).xcmappingmodel"))
        }
        bundle = try #require(Bundle(url: folder))
    }

    private func mapping(_ old: Int, _ new: Int) -> NSMappingModel? {
        NSMappingModel(from: [bundle], forSourceModel: models[old], destinationModel: models[new])
    }

    private func makeFirst(at url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[0])
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = coordinator.context()
        let ada = context.make("Person", ["name": "Ada Byron", "age": 36])
        let anne = context.make("Person", ["name": "Anne Byron", "age": 28])
        _ = context.make("Person", ["name": "Alan Turing", "age": 41])
        _ = context.make("Pet", ["call": "Rex", "weight": 30, "kind": "dog", "owner": ada])
        _ = context.make("Pet", ["call": "Tom", "weight": 4, "kind": "cat", "owner": ada])
        _ = context.make("Pet", ["call": "Puff", "weight": 900, "kind": "dog", "owner": anne])
        _ = context.make("Pet", ["call": "Stray", "weight": 12, "kind": "dog"])
        try context.save()
        try coordinator.remove(store)
    }

    /// Migrates from version to version, and returns the last file.
    private func migrate(through last: Int) throws -> URL {
        var url = directory.file("1.sqlite")
        try makeFirst(at: url)
        for step in 0..<(last - 1) {
            let next = directory.file("\(step + 2).sqlite")
            let manager = NSMigrationManager(sourceModel: models[step], destinationModel: models[step + 1])
            let found = try #require(mapping(step, step + 1), "\(step + 1) to \(step + 2)")
            try manager.migrateStore(from: url, type: .sqlite, mapping: found, to: next, type: .sqlite)
            url = next
        }
        return url
    }

    /// The objects of an entity with the values of key paths, sorted.
    private func rows(_ url: URL, version: Int, _ entity: String, _ paths: [String]) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[version - 1])
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = coordinator.context()
        let rows = try context.all(entity).map { object in
            paths.map { path -> String in
                switch object.value(forKeyPath: path) {
                case let members as NSSet: members.map { "\($0)" }.sorted().joined(separator: "+")
                case let value?: "\(value)"
                case nil: "-"
                }
            }.joined(separator: " ")
        }
        withExtendedLifetime(context) {}
        try coordinator.remove(store)
        return rows.sorted()
    }

    @Test("Each mapping model is used for its own two versions and for no others")
    func choice() throws {
        for old in models.indices {
            for new in models.indices {
                let found = mapping(old, new)
                #expect((found != nil) == (new == old + 1), "\(old + 1) to \(new + 1)")
            }
        }
    }

    @Test("Values, relationships, filters and policies of all nine steps arrive in the tenth version")
    func all() throws {
        let url = try migrate(through: 10)
        let paths = ["first", "last", "years", "tag", "dogs.call", "household.surname"]
        #expect(
            try rows(url, version: 10, "Person", paths) == [
                "Ada Byron 36 years moved Rex Byron", "Alan Turing 41 years moved  Turing",
                "Anne Byron 28 years moved  Byron",
            ])
        #expect(
            try rows(url, version: 10, "Dog", ["call", "weight", "ownerName", "owner.last"])
                == ["Rex 30 Ada Byron", "Stray 12 - -"])
        #expect(
            try rows(url, version: 10, "Household", ["surname", "people.first"]) == ["Byron Ada+Anne", "Turing Alan"])
        #expect(try rows(url, version: 10, "Note", ["text"]) == ["made by the migration"])
    }

    @Test("A key path over two relationships joins both ends")
    func shortcut() throws {
        let url = try migrate(through: 6)
        #expect(
            try rows(url, version: 6, "Pet", ["call", "home.surname"])
                == ["Puff Byron", "Rex Byron", "Stray -", "Tom Byron"])
        #expect(try rows(url, version: 6, "Household", ["surname", "pets.call"]) == ["Byron Puff+Rex+Tom", "Turing "])
    }

    @Test("One entity becomes two, each by a mapping with a filter of its own")
    func split() throws {
        let url = try migrate(through: 8)
        #expect(try rows(url, version: 8, "Dog", ["call", "owner.first"]) == ["Rex Ada", "Stray -"])
        #expect(try rows(url, version: 8, "Cat", ["call", "lives", "owner.first"]) == ["Tom 9 Ada"])
        #expect(try rows(url, version: 8, "Person", ["first", "pets.call"]) == ["Ada Rex+Tom", "Alan ", "Anne "])
    }
}

/// Makes first and last names.
final class NameSplitting: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let names = (sInstance.value(forKey: "name") as? String ?? "").split(separator: " ").map(String.init)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        made.first?.setValue(names.first, forKey: "first")
        made.first?.setValue(names.last, forKey: "last")
    }
}

/// Answers `FUNCTION($entityPolicy, "spell:", …)`.
final class Spelling: NSEntityMigrationPolicy {
    override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        name == "spell:" ? "\(arguments[0] ?? 0) years" : try super.value(ofMethod: name, arguments: arguments)
    }
}

/// Finds or makes a household for each surname.
final class Gathering: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let surname = sInstance.value(forKey: "last") as? String
        let known = manager.destinationContext.insertedObjects.first {
            $0.entity.name == "Household" && $0.value(forKey: "surname") as? String == surname
        }
        let household =
            known ?? NSEntityDescription.insertNewObject(forEntityName: "Household", into: manager.destinationContext)
        household.setValue(surname, forKey: "surname")
        made.first?.setValue(household, forKey: "household")
    }
}

/// Makes one object that no source object stands for.
final class Noting: NSEntityMigrationPolicy {
    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: manager.destinationContext)
        note.setValue("made by the migration", forKey: "text")
    }
}
