import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): derived attributes over several relationships, and those that follow from batch requests.
@Suite("Conformance (d): derived attributes over longer paths")
struct DerivedPathConformanceTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Lands.sqlite"), options: nil)
        context = coordinator.context()
        let ice = context.make("Land", ["name": "ice"])
        _ = context.make("Land", ["name": "fire"])
        let town = context.make("Town", ["name": "Vik", "land": ice])
        for (name, age) in [("Ada", 30), ("Bob", 50)] {
            _ = context.make("Person", ["name": name, "age": age, "town": town])
        }
        try context.save()
    }

    ///     Land  ──towns──▶▶ Town  ──people──▶▶ Person        Sailor is a Person
    private static func model() -> NSManagedObjectModel {
        let land = ModelSketch.entity(
            "Land",
            [
                ModelSketch.attribute("name"),
                ModelSketch.derived("crowd", .integer64AttributeType, "towns.people.@count"),
                ModelSketch.derived("townCount", .integer64AttributeType, "count:(towns)"),
                ModelSketch.derived("years", .integer64AttributeType, "towns.people.age.@sum"),
            ])
        let town = ModelSketch.entity("Town", [ModelSketch.attribute("name")])
        let person = ModelSketch.entity(
            "Person",
            [
                ModelSketch.attribute("name"), ModelSketch.attribute("age", .integer64AttributeType),
                ModelSketch.derived("landName", .stringAttributeType, "town.land.name"),
                ModelSketch.derived("loudLand", .stringAttributeType, "uppercase:(town.land.name)"),
            ])
        let sailor = ModelSketch.entity("Sailor", [])
        ModelSketch.relate(land, "towns", toMany: town, "land")
        ModelSketch.relate(town, "people", toMany: person, "town")
        person.subentities = [sailor]
        return ModelSketch.model(land, town, person, sailor)
    }

    /// What another context reads: crowd and years of each land, the land of each person in both ways.
    private func stored() throws -> [String] {
        let reader = coordinator.context()
        let lands = try reader.all("Land", sortedBy: "name").map {
            "\($0.text("name") ?? "-") \($0.number("crowd") ?? -1) \($0.number("years") ?? -1)"
        }
        let people = try reader.all("Person", sortedBy: "name").map {
            "\($0.text("name") ?? "-") \($0.text("landName") ?? "-") \($0.text("loudLand") ?? "-")"
        }
        return lands + people
    }

    private func object(_ entity: String, _ name: String) throws -> NSManagedObject {
        try #require(try context.all(entity).first { $0.text("name") == name })
    }

    @Test("d.21 a path of several relationships gives a value, a count and a sum")
    func several() throws {
        #expect(try stored() == ["fire 0 0", "ice 2 80", "Ada ice ICE", "Bob ice ICE"])
    }

    @Test("d.21 an aggregate may be written as a function of a path")
    func function() throws {
        #expect(try object("Land", "ice").number("townCount") == 1)
        context.delete(try object("Town", "Vik"))
        try context.save()
        #expect(try object("Land", "ice").number("townCount") == 0)
    }

    @Test("d.21 a change at the far end of a path is followed, by a context that holds nothing between")
    func farEnd() throws {
        let other = coordinator.context()
        let ada = try #require(try other.all("Person").first { $0.text("name") == "Ada" })
        ada.setValue(31, forKey: "age")
        try other.save()
        try object("Land", "ice").setValue("snow", forKey: "name")
        try context.save()
        #expect(try stored() == ["fire 0 0", "snow 2 81", "Ada snow SNOW", "Bob snow SNOW"])
    }

    @Test("d.21 a change in the middle of a path is followed at both ends, of the old way and of the new one")
    func middle() throws {
        try object("Town", "Vik").setValue(try object("Land", "fire"), forKey: "land")
        try context.save()
        #expect(try stored() == ["fire 2 80", "ice 0 0", "Ada fire FIRE", "Bob fire FIRE"])
        context.delete(try object("Town", "Vik"))
        try context.save()
        #expect(try stored() == ["fire 0 0", "ice 0 0", "Ada - -", "Bob - -"])
    }

    @Test("d.21 an object of a subentity counts, and has what its superentity derives")
    func subentity() throws {
        _ = context.make("Sailor", ["name": "Cid", "age": 20, "town": try object("Town", "Vik")])
        try context.save()
        #expect(try stored() == ["fire 0 0", "ice 3 100", "Ada ice ICE", "Bob ice ICE", "Cid ice ICE"])
    }

    @Test("d.21 a batch insert derives what it inserts, and what follows from it")
    func batchInsert() throws {
        let town = try object("Town", "Vik").objectID
        _ = try context.execute(
            NSBatchInsertRequest(entityName: "Person", objects: [["name": "Cid", "age": 20, "town": town]]))
        #expect(try stored() == ["fire 0 0", "ice 3 100", "Ada ice ICE", "Bob ice ICE", "Cid ice ICE"])
    }

    @Test("d.21 a batch update derives what it updates, and what follows from it")
    func batchUpdate() throws {
        let request = NSBatchUpdateRequest(entityName: "Land")
        request.propertiesToUpdate = ["name": "snow"]
        request.predicate = NSPredicate(format: "name == 'ice'")
        _ = try context.execute(request)
        let ages = NSBatchUpdateRequest(entityName: "Person")
        ages.propertiesToUpdate = ["age": NSExpression(format: "age + 1")]
        _ = try context.execute(ages)
        let move = NSBatchUpdateRequest(entityName: "Person")
        move.propertiesToUpdate = ["town": NSNull()]
        move.predicate = NSPredicate(format: "name == 'Bob'")
        _ = try context.execute(move)
        #expect(try stored() == ["fire 0 0", "snow 1 31", "Ada snow SNOW", "Bob - -"])
    }

    @Test("d.21 a batch delete derives what follows from it")
    func batchDelete() throws {
        let people = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        people.predicate = NSPredicate(format: "name == 'Ada'")
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: people))
        #expect(try stored() == ["fire 0 0", "ice 1 50", "Bob ice ICE"])
        _ = try context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Land")))
        #expect(try stored() == ["Bob - -"])
    }

    @Test("d.21 rebuilt tables have what was derived")
    func rebuilt() throws {
        try object("Land", "ice").setValue("snow", forKey: "name")
        try context.save()
        let before = try stored()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let url = directory.file("Lands.sqlite")
        try url.discardTables()
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        #expect(try stored() == before)
        #expect(before.first == "fire 0 0")
    }
}
