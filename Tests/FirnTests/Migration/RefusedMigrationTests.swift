import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("A migration that cannot be done")
struct RefusedMigrationTests {
    private let store: MigratingStore

    init() throws { store = try MigratingStore() }

    @Test("is told apart: not allowed, no mapping model, not to be inferred")
    func permissions() throws {
        try store.with("Person: name String")
        let plain = try store.refusal("Person: name String, age Integer16", nil)
        #expect(plain?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(plain?.localizedDescription.contains("Person.age was added") == true)
        let unmapped = try store.refusal(
            "Person: name String, age Integer16",
            [NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true)])
        #expect(unmapped?.code == NSMigrationMissingMappingModelError)
        #expect(try store.with("Person: name String").objects.isEmpty)
    }

    @Test("names every place with its reason and remedy, and leaves the store as it was")
    func reasons() throws {
        let model = "Person: name String, age Integer16, friends ->> Person, city String\nPet: name String"
        let before = try store.with(model) { _ = $0.make("Person", ["name": "Ada"]) }
        let error = try store.refusal(
            "Person: !name String, age String, friends -> Person, city -> Pet, !rank Integer16\nPet: name String")
        #expect(error?.code == NSInferredMappingModelError || error?.code == NSMigrationError)
        let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
        let places = details.map { detail in
            (detail.userInfo["attribute"] ?? detail.userInfo["relationship"]) as? String ?? ""
        }
        #expect(Set(places) == ["name", "age", "friends", "rank"])
        #expect(details.allSatisfy { $0.userInfo["entity"] as? String == "Person" })
        #expect(error?.localizedDescription.contains("Integer 16 cannot become String") == true)
        #expect(try store.with(model) == before)
    }

    @Test("of a mandatory attribute without a default has Core Data's code and reason")
    func missingDefault() throws {
        let before = try store.with("Person: name String") { context in
            _ = context.make("Person", ["name": "Ada"])
            _ = context.make("Person")
        }
        for (new, attribute) in [
            ("Person: !name String", "name"), ("Person: name String, !rank Integer16", "rank"),
            ("Being: !name String\nPerson < Being", "name"),
        ] {
            let error = try store.refusal(new)
            #expect(error?.code == NSMigrationError)
            #expect(error?.userInfo["attribute"] as? String == attribute)
            let reason = error?.userInfo["reason"] as? String
            #expect(reason == "Validation error missing attribute values on mandatory destination attribute")
        }
        #expect(try store.with("Person: name String") == before)
    }

    @Test("is not that of a mandatory attribute without a default, if every object has a value, or there is none")
    func filled() throws {
        let before = try store.with("Person: name String\nPet: name String") { context in
            _ = context.make("Person", ["name": "Ada"])
        }
        #expect(before.count("Person") == 1)
        let after = try store.with("Person: !name String\nPet: !name String, !rank Integer16")
        #expect(after.count("Person") == 1)
        #expect(try store.with("Being: !name String\nPerson < Being\nPet: !name String").count("Person") == 1)
    }

    @Test("because hierarchies without a common parent would be merged is refused")
    func mergedHierarchies() throws {
        try store.with("Cat: name String\nDog: name String")
        let error = try store.refusal("Pet: name String\nCat < Pet\nDog < Pet")
        #expect(error?.code == NSInferredMappingModelError)
        #expect(error?.localizedDescription.contains("Cat and Dog shared no parent") == true)
    }

    @Test(
        "because hierarchies would be merged under a parent that was there before is refused",
        arguments: [
            "Pet: name String\nCat < Pet\nDog < Pet", "abstract Top: name String\nPet < Top\nCat < Pet\nDog < Pet",
            "Pet: name String\nCat < Pet\nTiger < Cat\nDog < Tiger",
        ])
    func mergedUnderOldParent(new: String) throws {
        let old = "Pet: name String\nCat: name String\nTiger < Cat\nDog: name String"
        let before = try store.with(old) { _ = $0.make("Dog", ["name": "Rex"]) }
        let error = try store.refusal(new)
        #expect(error?.code == NSInferredMappingModelError)
        #expect(error?.localizedDescription.contains("Cat and Dog shared no parent") == true)
        #expect(try store.with(old) == before)
    }

    @Test("because objects break a new uniqueness constraint is refused, with an object's name")
    func constraints() throws {
        let before = try store.with("Person: email String") { context in
            for _ in 0..<2 { _ = context.make("Person", ["email": "a@example.org"]) }
            _ = context.make("Person")
            _ = context.make("Person")
        }
        let error = try store.refusal("Person: email String, unique email")
        #expect(error?.code == NSMigrationConstraintViolationError)
        #expect(error?.localizedDescription.contains("Person 1") == true)
        #expect(try store.with("Person: email String") == before)
    }

    @Test(
        "because rows do not fit is refused: an abstract entity's objects, a related object outside, two for one place",
        arguments: [
            ("Person: name String", "abstract Person: name String\nChild < Person"),
            ("Person: friend -> Person\nRobot < Person", "Person: friend -> Person\nRobot: friend -> Person"),
            ("Person: friends ->> Person", "Person: friends ->> Person.fan, fan -> Person.friends"),
        ])
    func rows(_ old: String, _ new: String) throws {
        let before = try store.with(old) { context in
            let people = (0..<3).map { _ in context.make("Person") }
            if old.contains("Robot") { people[0].setValue(context.make("Robot"), forKey: "friend") }
            if old.contains("friends") {
                for person in people[1...] { person.setValue(NSSet(object: people[0]), forKey: "friends") }
            }
        }
        #expect(try store.refusal(new)?.code == NSMigrationError)
        #expect(try store.with(old) == before)
    }

    @Test("of a store that may only be read is refused, and says what helps")
    func readOnly() throws {
        try store.with("Person: name String")
        var options = MigratingStore.lightweight
        options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true)
        let error = try store.refusal("Person: name String, age Integer16", options)
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error?.localizedDescription.contains("open it for writing once") == true)
    }

    @Test("is noticed by a program that still has the old model: its saves are refused")
    func otherProgram() throws {
        let model = try ModelText.model("Person: name String")
        let coordinator = try store.coordinator(model)
        let context = coordinator.context()
        _ = context.make("Person", ["name": "Ada"])
        try context.save()
        try store.with("Person: name String, age Integer16")
        _ = context.make("Person", ["name": "Ann"])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("migrated to another model") == true)
        #expect(try store.with("Person: name String, age Integer16").count("Person") == 1)
    }

    @Test("is not needed where only defaults, class names or indexes differ")
    func compatible() throws {
        try store.with("Person: name String = a") { _ = $0.make("Person") }
        let coordinator = try store.coordinator(ModelText.model("Person: name String = b"), nil)
        let context = coordinator.context()
        _ = context.make("Person")
        try context.save()
        #expect(try context.strings("Person", "name") == ["a", "b"])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let dumps = try StoredTables.dumps(store.url)
        #expect(dumps.present == dumps.rebuilt)
    }

    @Test("is not needed by a program that continues with other defaults: each shows at once what the other one saves")
    func goesOn() throws {
        let old = try store.coordinator(ModelText.model("Person: name String = a"), nil).context()
        _ = old.make("Person")
        try old.save()
        let new = try store.coordinator(ModelText.model("Person: name String = b"), nil).context()
        var names: Set<String> = ["a"]
        for round in 0..<5 {
            for (context, name) in [(old, "old \(round)"), (new, "new \(round)")] {
                _ = context.make("Person", ["name": name])
                try context.save()
                names.insert(name)
                for reader in [new, old] { #expect(try reader.strings("Person", "name") == names) }
            }
        }
    }

    @Test("is not needed either where versions are to be ignored and all names and types are the same")
    func ignored() throws {
        let options = [NSIgnorePersistentStoreVersioningOption: NSNumber(value: true)]
        try store.with("Person: name String") { _ = $0.make("Person") }
        let model = try ModelText.model("Person: !name String = b")
        let coordinator = try store.coordinator(model, options)
        let hashes = coordinator.persistentStores[0].metadata?[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes == model.entityVersionHashesByName)
        let context = coordinator.context()
        _ = context.make("Person")
        try context.save()
        #expect(try context.strings("Person", "name").sorted() == ["b"])
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let error = #expect(throws: NSError.self) {
            try store.coordinator(ModelText.model("Person: name String, age Integer16"), options)
        }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
}
