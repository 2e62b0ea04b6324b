import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("What hooks do while a save is under way")
struct SaveHookTests {
    @Test("what willSave deletes ends its relationships, also where delete rules wait for the save",
        arguments: [true, false])
    func deletion(propagatesAtOnce: Bool) throws {
        let company = ModelSketch.entity("Company", [ModelSketch.attribute("name")])
        company.managedObjectClassName = "FirnTests.Witness"
        let employee = ModelSketch.entity("Employee", [])
        ModelSketch.relate(company, "employees", toMany: employee, "company")
        let coordinator = try Library.inMemory(ModelSketch.model(company, employee))
        let context = coordinator.context()
        context.propagatesDeletesAtEndOfEvent = propagatesAtOnce
        let changed = try #require(context.make("Company") as? Witness)
        let doomed = context.make("Company")
        let ada = context.make("Employee", ["company": doomed])
        try context.save()
        changed.onWillSave = { _ in context.delete(doomed) }
        changed.setValue("New", forKey: "name")
        try context.save()
        #expect(try coordinator.context().existingObject(with: ada.objectID).value(forKey: "company") == nil)
    }

    @Test("what a validation inserts is validated too")
    func insertion() throws {
        let entity = ModelSketch.entity("Troubled", [ModelSketch.attribute("name", optional: false)])
        entity.managedObjectClassName = "FirnTests.Troubled"
        let context = try Library.inMemory(ModelSketch.model(entity)).context()
        let object = try #require(context.make("Troubled", ["name": "a"]) as? Troubled)
        object.onValidate = {
            object.onValidate = nil
            _ = context.make("Troubled")
        }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    }
}
