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

    @Test("what a merge policy changes in a store that is written later is saved")
    func laterStore() throws {
        let coordinator = try Library.inMemory()
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = coordinator.context()
        let (ada, eve) = (context.make("Author", ["name": "Ada"]), context.make("Author", ["name": "Eve"]))
        let zoe = context.make("Author", ["name": "Zoe"])
        for author in [eve, zoe] { context.assign(author, to: second) }
        try context.save()
        try coordinator.write { try $0.existingObject(with: ada.objectID).setValue(40, forKey: "age") }
        ada.setValue("Ida", forKey: "name")
        eve.setValue("Eva", forKey: "name")
        context.mergePolicy = Meddling { zoe.setValue("Zoa", forKey: "name") }
        try context.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Ida", "Eva", "Zoa"])
    }
}
