import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A typed class that is used nowhere before a fetch has to find it by its name.
final class Painter: NSManagedObject {
    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    private(set) var awakenings: [String] = []

    override func awakeFromInsert() { awakenings.append("insert") }
    override func awakeFromFetch() { awakenings.append("fetch") }
}

@Suite("Typed subclasses")
struct TypedClassTests {
    private func coordinator(className: String) throws -> NSPersistentStoreCoordinator {
        let entity = NSEntityDescription()
        entity.name = "Painter"
        entity.managedObjectClassName = className
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return try Library.inMemory(model)
    }

    @Test(
        "the class is found by its name as Xcode writes it, with and without a module",
        arguments: ["Painter", ".Painter", "FirnTests.Painter"])
    func lookup(_ className: String) throws {
        let coordinator = try coordinator(className: className)
        let context = coordinator.context()
        let made = NSEntityDescription.insertNewObject(forEntityName: "Painter", into: context)
        #expect((made as? Painter)?.awakenings == ["insert"])
        made.setValue("Frida", forKey: "name")
        try context.save()
        let request = NSFetchRequest<Painter>(entityName: "Painter")
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        let found = try #require(try reader.fetch(request).first)
        #expect(found.awakenings == [])
        #expect(found.name == "Frida")
        #expect(found.awakenings == ["fetch"])
    }

    @Test("init(context:) finds the entity of the class")
    func initWithContext() throws {
        let context = try coordinator(className: "Painter").context()
        let painter = Painter(context: context)
        painter.name = "Frida"
        #expect(painter.entity.name == "Painter")
        #expect(context.insertedObjects == [painter])
    }
}
