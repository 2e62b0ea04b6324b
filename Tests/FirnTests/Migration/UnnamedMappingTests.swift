import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Entity mappings made in code need no names.
@Suite("Mappings without names")
struct UnnamedMappingTests {
    private let store: MigratingStore

    init() throws {
        store = try MigratingStore()
        try store.with(Self.model(person: "friend", dog: "rival")) { context in
            for (entity, key) in [("Person", "friend"), ("Dog", "rival")] {
                let other = context.make(entity, ["name": "\(entity) 2"])
                _ = context.make(entity, ["name": "\(entity) 1", key: other])
            }
        }
    }

    private static func model(person: String, dog: String) -> String {
        """
        Person: name String, \(person) -> Person.of, of ->> Person.\(person)
        Dog: name String, \(dog) -> Dog.of, of ->> Dog.\(dog)
        """
    }

    private func mapping(_ entity: String, friend: String) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.sourceEntityName = entity
        mapping.destinationEntityName = entity
        mapping.mappingType = .copyEntityMappingType
        let (name, relationship) = (NSPropertyMapping(), NSPropertyMapping())
        name.name = "name"
        name.valueExpression = NSExpression(format: "FUNCTION($source, \"valueForKey:\", \"name\")")
        relationship.name = "friend"
        relationship.valueExpression = NSExpression(
            format: "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
                + "\"\(friend)\", FUNCTION($source, \"valueForKey:\", \"\(friend)\"))")
        mapping.attributeMappings = [name]
        mapping.relationshipMappings = [relationship]
        return mapping
    }

    @Test("mappings without names make and relate the objects of their own entities")
    func unnamed() throws {
        let new = try ModelText.model(Self.model(person: "friend", dog: "friend"))
        let manager = NSMigrationManager(
            sourceModel: try ModelText.model(Self.model(person: "friend", dog: "rival")), destinationModel: new)
        let mappings = NSMappingModel()
        mappings.entityMappings = [mapping("Person", friend: "friend"), mapping("Dog", friend: "rival")]
        let target = store.url.deletingLastPathComponent().appending(path: "New.sqlite")
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mappings, toDestinationURL: target,
            destinationType: NSSQLiteStoreType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
        try coordinator.addPersistentStore(type: .sqlite, at: target)
        let context = coordinator.context()
        for entity in ["Person", "Dog"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let friends = try context.fetch(request).map { $0.value(forKeyPath: "friend.name") as? String }
            #expect(friends == ["\(entity) 2", nil])
        }
    }
}
