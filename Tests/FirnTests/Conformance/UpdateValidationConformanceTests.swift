import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

/// Section (f): the validation of changed objects. The stored values are older than the rules, as after a migration.
@Suite("Conformance (f): validation of updates")
struct UpdateValidationConformanceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let context = try Self.open(directory, hasRules: false).context()
        let crew = context.make("Crew", ["note": "old"])
        context.make("Sailor", ["note": "old"]).setValue(crew, forKey: "crew")
        _ = context.make("Sailor", ["note": "old", "code": "y"])
        _ = context.make("Sailor", ["note": "large", "code": "x", "portrait": Data(repeating: 7, count: 200_000)])
        _ = context.make("Sailor", ["note": "sound", "code": "x", "rank": "mate"])
        try context.save()
    }

    /// Without rules every property is optional, and of any value.
    private static func open(
        _ directory: TemporaryDirectory, hasRules: Bool
    ) throws -> NSPersistentStoreCoordinator {
        let sailor = ModelSketch.entity(
            "Sailor",
            [
                ModelSketch.attribute("note"), ModelSketch.attribute("code"), ModelSketch.attribute("rank"),
                ModelSketch.attribute("portrait", .binaryDataAttributeType),
            ])
        sailor.attributesByName["portrait"]?.allowsExternalBinaryDataStorage = true
        let crew = ModelSketch.entity("Crew", [ModelSketch.attribute("note")])
        let sailors = ModelSketch.relate(crew, "sailors", toMany: sailor, "crew")
        if hasRules {
            let code = try #require(sailor.attributesByName["code"])
            code.setValidationPredicates(
                [NSPredicate(format: "SELF BEGINSWITH 'x'")], withValidationWarnings: ["codes begin with x"])
            sailor.attributesByName["portrait"]?.setValidationPredicates(
                [NSPredicate(format: "length < 1000")], withValidationWarnings: ["too large"])
            sailor.attributesByName["rank"]?.setValidationPredicates(
                [NSPredicate(format: "SELF == 'mate'")], withValidationWarnings: ["no rank"])
            sailors.minCount = 2
            sailors.isOptional = false
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.model(sailor, crew))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Crew.sqlite"),
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ])
        return coordinator
    }

    private func sailor(_ context: NSManagedObjectContext, _ format: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Sailor")
        request.predicate = NSPredicate(format: format)
        return try #require(try context.fetch(request).first)
    }

    private func failures(_ context: NSManagedObjectContext) throws -> Set<String> {
        let error = try #require(#expect(throws: NSError.self) { try context.save() })
        let all = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
        return Set(all.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String })
    }

    /// [H] "validating each in turn"
    @Test("f.1 an update is validated with the properties that it does not change")
    func unchanged() throws {
        let context = try Self.open(directory, hasRules: true).context()
        let sailor = try sailor(context, "code == 'y'")
        sailor.setValue("new", forKey: "note")
        #expect(try failures(context) == ["code"])
        sailor.setValue("x1", forKey: "code")
        try context.save()
    }

    @Test("f.1 an update whose values meet the rules is saved")
    func sound() throws {
        let context = try Self.open(directory, hasRules: true).context()
        try sailor(context, "note == 'sound'").setValue("new", forKey: "note")
        try context.save()
        #expect(try context.strings("Sailor", "note").contains("new"))
    }

    @Test("f.1 the validation of an update reads nothing: large values in files and members are left out until read")
    func left() throws {
        let context = try Self.open(directory, hasRules: true).context()
        let crew = try context.all("Crew")[0]
        crew.setValue("new", forKey: "note")
        try context.save()
        try sailor(context, "note == 'large'").setValue("x1", forKey: "code")
        try context.save()
        #expect(crew.hasFault(forRelationshipNamed: "sailors"))
        _ = (crew.value(forKey: "sailors") as? NSSet)?.count
        crew.setValue("newer", forKey: "note")
        #expect(try failures(context) == ["sailors"])
    }

    @Test("f.1 a mandatory value that a batch update took away fails the next update of its object")
    func mandatory() throws {
        let record = ModelSketch.entity(
            "Record", [ModelSketch.attribute("name", optional: false), ModelSketch.attribute("note")])
        let coordinator = try Library.inMemory(ModelSketch.model(record))
        let context = coordinator.context()
        _ = context.make("Record", ["name": "Ada"])
        try context.save()
        let request = NSBatchUpdateRequest(entityName: "Record")
        request.propertiesToUpdate = ["name": NSNull()]
        _ = try context.execute(request)
        let other = coordinator.context()
        try other.all("Record")[0].setValue("new", forKey: "note")
        let error = #expect(throws: NSError.self) { try other.save() }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    }
}
