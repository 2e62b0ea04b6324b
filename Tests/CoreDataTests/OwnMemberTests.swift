import CoreData
import Testing

/// Members of a class that have the name of one of `NSManagedObject`.
@Suite("A class's own members and those of NSManagedObject")
struct OwnMemberTests {
    @Test("a request of the class's own is the one that is meant without a type")
    func request() {
        let request = Shelf.fetchRequest()
        #expect(type(of: request) == NSFetchRequest<Shelf>.self)
    }

    @Test("a subscript of the class's own needs no override, others have that by property")
    func subscripts() {
        let entity = NSEntityDescription()
        entity.name = "Shelf"
        entity.managedObjectClassName = "CoreDataTests.Shelf"
        let label = NSAttributeDescription()
        label.name = "label"
        label.attributeType = .stringAttributeType
        entity.properties = [label]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let shelf = Shelf(entity: entity, insertInto: nil)
        #expect(shelf["label"] as? String == "own label")
        (shelf as NSManagedObject)["label"] = "A"
        #expect((shelf as NSManagedObject)["label"] as? String == "A")
        withExtendedLifetime(model) {}
    }
}

final class Shelf: NSManagedObject {
    subscript(name: String) -> Any? { "own " + name }
}

extension Shelf {
    @nonobjc class func fetchRequest() -> NSFetchRequest<Shelf> { NSFetchRequest<Shelf>(entityName: "Shelf") }
}
