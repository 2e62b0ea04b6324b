import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

import class FirnFoundation.NSPredicate

/// Notes which validations it passes, in order, and cuts spaces off its name.
final class ConformanceRecord: NSManagedObject {
    var calls: [String] = []

    override func validateForInsert() throws {
        calls.append("insert")
        try super.validateForInsert()
        try checkTogether()
    }

    override func validateForUpdate() throws {
        calls.append("update")
        try super.validateForUpdate()
        try checkTogether()
    }

    override func validateForDelete() throws {
        calls.append("delete")
        try super.validateForDelete()
    }

    override func willSave() { calls.append("willSave") }

    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        calls.append(key)
        if key == "name", let name = value.pointee as? String {
            value.pointee = NSString(string: name.trimmingCharacters(in: .whitespaces))
        }
        try super.validateValue(value, forKey: key)
    }

    private func checkTogether() throws {
        guard let low = number("low"), let high = number("high"), low > high else { return }
        throw NSError(domain: "Record", code: 7, userInfo: [:])
    }
}

/// Section (f): validation.
@Suite("Conformance (f): validation")
struct ValidationConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        let record = ModelSketch.entity(
            "Record",
            [
                ModelSketch.attribute("name", optional: false), ModelSketch.attribute("code", optional: false),
                ModelSketch.attribute("low", .integer32AttributeType),
                ModelSketch.attribute("high", .integer32AttributeType),
            ])
        record.managedObjectClassName = "ConformanceRecord"
        record.attributesByName["code"]?.setValidationPredicates(
            [NSPredicate(format: "SELF BEGINSWITH 'x'")], withValidationWarnings: ["codes begin with x"])
        coordinator = try Library.inMemory(ModelSketch.model(record))
        context = coordinator.context()
    }

    private func make(_ values: [String: Any] = ["name": "Ada", "code": "x1"]) throws -> ConformanceRecord {
        try #require(context.make("Record", values) as? ConformanceRecord)
    }

    private func failure() throws -> NSError {
        try #require(#expect(throws: NSError.self) { try self.context.save() })
    }

    /// [H] Each kind of change has its own hook; property checks run within it.
    @Test("f.1 a save calls the hook for the kind of change of each object")
    func hooks() throws {
        let record = try make()
        try context.save()
        #expect(record.calls == ["willSave", "insert", "code", "high", "low", "name"])
        record.calls = []
        record.setValue("Eve", forKey: "name")
        try context.save()
        #expect(record.calls == ["willSave", "update", "code", "high", "low", "name"])
        record.calls = []
        context.delete(record)
        try context.save()
        #expect(record.calls == ["willSave", "delete"])
    }

    /// [H][AD] A check may put another value in place: it is saved, after the hooks have seen it.
    @Test("f.1 a property check may replace the value, and the save's loop runs again")
    func replacement() throws {
        let record = try make(["name": "  Ada ", "code": "x1"])
        try context.save()
        #expect(record.text("name") == "Ada")
        #expect(record.calls.filter { $0 == "insert" }.count == 2)
        #expect(record.calls.filter { $0 == "willSave" }.count == 2)
        #expect(try coordinator.context().strings("Record", "name") == ["Ada"])
    }

    /// [AD] Code for several properties stands after the call of `super`, and its error reaches the caller as it is.
    @Test("f.1 an error of an overridden hook is the error of the save")
    func ownError() throws {
        _ = try make(["name": "Ada", "code": "x1", "low": 2, "high": 1])
        let error = try failure()
        #expect(error.domain == "Record")
        #expect(error.code == 7)
    }

    /// [H] One failure is not wrapped. It says which object, which property, which value and which rule.
    @Test("f.2 a single failure is the error itself, with object, key, value and predicate")
    func single() throws {
        let record = try make(["name": "Ada", "code": "y"])
        let error = try failure()
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSManagedObjectValidationError)
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === record)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "code")
        #expect(error.userInfo[NSValidationValueErrorKey] as? String == "y")
        let predicate = error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
        #expect(predicate?.predicateFormat == "SELF BEGINSWITH \"x\"")
        #expect(error.localizedDescription == "codes begin with x")
    }

    /// [H] The same through the properties of `CocoaError`.
    @Test("f.2 CocoaError gives the object, key and value of a failure")
    func cocoaError() throws {
        let record = try make(["name": "Ada", "code": "y"])
        let error = #expect(throws: CocoaError.self) { try self.context.save() }
        #expect(error?.validationObject as? NSManagedObject === record)
        #expect(error?.validationKey == "code")
        #expect(error?.validationValue as? String == "y")
        #expect(error?.validationPredicate != nil)
    }

    /// [H] Also across several objects, in one flat list.
    @Test("f.2 several failures are one error, 1560, with the failures in NSDetailedErrors")
    func multiple() throws {
        _ = try make([:])
        _ = try make(["name": "Bob", "code": "y"])
        let error = try failure()
        #expect(error.code == NSValidationMultipleErrorsError)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.map(\.code).sorted() == [1550, 1570, 1570])
    }

    /// [H] What failed can be put right and saved.
    @Test("f.2 a failed validation changes nothing, and the save can be repeated")
    func repeated() throws {
        let record = try make(["name": "Ada", "code": "y"])
        _ = try failure()
        #expect(context.insertedObjects == [record])
        #expect(record.objectID.isTemporaryID)
        record.setValue("x", forKey: "code")
        try context.save()
        #expect(try coordinator.context().strings("Record", "code") == ["x"])
    }

    /// [H] There is no value to show.
    @Test("f.2 a missing mandatory property fails with 1570 and no value")
    func mandatory() throws {
        _ = try make(["name": "Ada"])
        let error = try failure()
        #expect(error.code == NSValidationMissingMandatoryPropertyError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "code")
        #expect(error.userInfo[NSValidationValueErrorKey] == nil)
    }
}
