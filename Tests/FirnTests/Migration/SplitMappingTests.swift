import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Gives the objects of a mapping as a set.
private final class ChoosingManager: NSMigrationManager {
    override func value(ofMethod name: String, arguments: [Any?]) throws -> Any? {
        guard name == "chosen" else { return try super.value(ofMethod: name, arguments: arguments) }
        return Set(try sourceContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Contact")))
    }
}

@Suite("Mappings that make two objects of one")
struct SplitMappingTests {
    private let store: MigratingStore
    private let old = "Contact: name String, pets ->> Pet.owner\nPet: name String, owner -> Contact.pets"
    private let new = """
        Address: name String
        Person: name String, pets ->> Pet.owner
        Pet: name String, owner -> Person.pets
        abstract Being: name String
        """

    init() throws {
        store = try MigratingStore()
        try store.with(old) { context in
            let ada = context.make("Contact", ["name": "Ada"])
            for name in ["Rex", "Tom"] { _ = context.make("Pet", ["name": name, "owner": ada]) }
        }
    }

    /// A mapping of the name and of a relationship of the same name, whichever mapping made its members.
    private func mapping(_ source: String, _ destination: String, _ relationship: String? = nil) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        (mapping.name, mapping.mappingType) = ("\(source)To\(destination)", .transformEntityMappingType)
        (mapping.sourceEntityName, mapping.destinationEntityName) = (source, destination)
        let name = NSPropertyMapping()
        (name.name, name.valueExpression) = ("name", NSExpression(format: "$source.name"))
        mapping.attributeMappings = [name]
        mapping.relationshipMappings = [relationship].compactMap { $0 }.map { key in
            let property = NSPropertyMapping()
            property.name = key
            property.valueExpression = NSExpression(
                format: "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
                    + "\"\(key)\", $source.\(key))")
            return property
        }
        return mapping
    }

    /// The names of owners and pets in the new store.
    private func migrate(_ mappings: [NSEntityMapping]) throws -> [String] {
        let model = try ModelText.model(new)
        let manager = ChoosingManager(sourceModel: try ModelText.model(old), destinationModel: model)
        let mapping = NSMappingModel()
        mapping.entityMappings = mappings
        let target = store.url.deletingLastPathComponent().appending(path: "New.sqlite")
        try manager.migrateStore(from: store.url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: target)
        let context = coordinator.context()
        return try withExtendedLifetime(context) {
            let pets = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Pet"))
            return pets.map { "\($0.value(forKeyPath: "owner.name") ?? "nobody") \($0.value(forKey: "name") ?? "")" }
                .sorted()
        }
    }

    @Test("A relationship gets those that its destination can be")
    func related() throws {
        let mappings = [
            mapping("Contact", "Address"), mapping("Contact", "Person", "pets"), mapping("Pet", "Pet", "owner"),
        ]
        let found = try migrate(mappings)
        #expect(found == ["Ada Rex", "Ada Tom"])
    }

    @Test("The source objects of a mapping may be a set")
    func chosen() throws {
        let contacts = mapping("Contact", "Person", "pets")
        contacts.sourceExpression = NSExpression(
            forFunction: NSExpression(forVariable: NSMigrationManagerKey), selectorName: "chosen", arguments: [])
        let found = try migrate([contacts, mapping("Pet", "Pet", "owner")])
        #expect(found == ["Ada Rex", "Ada Tom"])
    }

    @Test("An entity that the new model has not, or has as an abstract one, is an error", arguments: ["Being", "No"])
    func unknown(_ entity: String) throws {
        let error = #expect(throws: NSError.self) { try migrate([mapping("Contact", entity)]) }
        #expect(error?.code == CocoaError.Code.migration.rawValue)
        #expect(error?.localizedDescription.contains("ContactTo\(entity)") == true)
    }
}
