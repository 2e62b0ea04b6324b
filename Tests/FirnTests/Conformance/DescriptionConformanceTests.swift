import Firn
import FirnModel
import Foundation
import Testing

/// What descriptions are to programs that hold and compare them.
@Suite("Descriptions")
struct DescriptionConformanceTests {
    private static let text = """
        Person: name String, !age Integer32 = 7, pets ->> Pet.owner ordered
        Pet: name String, owner -> Person.pets
        """

    @Test("m.23 a new description's user info is an empty dictionary, and so is that of a model file")
    func emptyUserInfo() throws {
        #expect(NSEntityDescription().userInfo?.isEmpty == true)
        let properties = [NSAttributeDescription(), NSRelationshipDescription(), NSFetchedPropertyDescription()]
        #expect(properties.allSatisfy { $0.userInfo?.isEmpty == true })
        let person = try #require(ModelText.model(Self.text).entitiesByName["Person"])
        #expect(person.userInfo?.isEmpty == true)
        #expect(person.attributesByName["name"]?.userInfo?.isEmpty == true)
    }

    @Test("m.23 user info may be changed while the model is in use")
    func changedInUse() throws {
        let model = try ModelText.model(Self.text)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let person = try #require(model.entitiesByName["Person"])
        person.userInfo?["noted"] = "yes"
        person.attributesByName["name"]?.userInfo = ["a": 1]
        #expect(person.userInfo?["noted"] as? String == "yes")
        #expect(person.attributesByName["name"]?.userInfo?["a"] as? Int == 1)
        withExtendedLifetime(coordinator) {}
    }

    @Test("m.23 models and descriptions that say the same are equal, in use or not")
    func equal() throws {
        let (first, second) = (try ModelText.model(Self.text), try ModelText.model(Self.text))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
        #expect(first == second)
        #expect(first.hash == second.hash)
        #expect(first == (first.copy() as? NSManagedObjectModel))
        for (name, entity) in first.entitiesByName {
            let other = try #require(second.entitiesByName[name])
            #expect(entity == other && entity.hash == other.hash)
            for (key, property) in entity.propertiesByName {
                #expect(property == other.propertiesByName[key])
                #expect(property.hash == other.propertiesByName[key]?.hash)
            }
        }
        withExtendedLifetime(coordinator) {}
    }

    @Test(
        "m.23 models that differ in anything are not equal",
        arguments: [
            ("= 7", "= 8"), ("Pet.owner ordered", "Pet.owner"), ("Integer32", "Integer64"),
            ("Pet: name String, ", "Pet: "),
        ])
    func different(part: String, other: String) throws {
        #expect(try ModelText.model(Self.text) != ModelText.model(Self.text.replacing(part, with: other)))
    }

    @Test("m.23 an entity differs with its class and its user info, a property with its entity")
    func details() throws {
        let (first, second) = (try ModelText.model(Self.text), try ModelText.model(Self.text))
        let person = try #require(first.entitiesByName["Person"])
        let other = try #require(second.entitiesByName["Person"])
        other.managedObjectClassName = "Human"
        #expect(person != other)
        other.managedObjectClassName = nil
        #expect(person == other)
        other.userInfo = ["a": "b"]
        #expect(person != other)
        #expect(first.entitiesByName["Pet"]?.propertiesByName["name"] != person.propertiesByName["name"])
    }

    @Test("m.23 computed columns are equal with their expressions")
    func expressions() {
        func column(_ format: String) -> NSExpressionDescription {
            let description = NSExpressionDescription()
            description.name = "value"
            description.expression = NSExpression(format: format)
            return description
        }
        #expect(column("a + 1") == column("a + 1"))
        #expect(column("a + 1") != column("a + 2"))
    }

    @Test("m.23 mapping models that say the same are equal")
    func mappings() throws {
        func mapping() throws -> NSMappingModel {
            try NSMappingModel.inferredMappingModel(
                forSourceModel: ModelText.model("Person: name String, home -> Place\nPlace: name String"),
                destinationModel: ModelText.model("Person: title String was name, home -> Place\nPlace: name String"))
        }
        let (first, second) = (try mapping(), try mapping())
        #expect(first == second && first.hash == second.hash)
        second.entityMappings[0].attributeMappings?.removeAll()
        #expect(first != second)
    }
}
