import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (f): the rules of a model's file, and the codes of their failures.
@Suite("Conformance (f): rules and codes")
struct ValidationRuleConformanceTests {
    /// A failure: the attribute that is set, the value, the code.
    struct Failure: Sendable, CustomStringConvertible {
        let key: String
        let value: any Sendable
        let code: Int

        var description: String { "\(key) = \(value): \(code)" }

        static let all = [
            Failure(key: "age", value: 11, code: 1610), Failure(key: "age", value: 0, code: 1620),
            Failure(key: "born", value: Date(timeIntervalSinceReferenceDate: 201), code: 1630),
            Failure(key: "born", value: Date(timeIntervalSinceReferenceDate: 99), code: 1640),
            Failure(key: "name", value: "abcdef", code: 1660), Failure(key: "name", value: "a", code: 1670),
            Failure(key: "code", value: "12x", code: 1680),
        ]
        static let accepted = [
            Failure(key: "age", value: 10, code: 0), Failure(key: "age", value: 1, code: 0),
            Failure(key: "born", value: Date(timeIntervalSinceReferenceDate: 200), code: 0),
            Failure(key: "name", value: "abcde", code: 0), Failure(key: "name", value: "ab", code: 0),
            Failure(key: "code", value: "123", code: 0),
        ]
    }

    private static let file = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Pet" representedClassName="NSManagedObject">
                <attribute name="age" optional="YES" attributeType="Integer 32" minValueString="1" maxValueString="10"/>
                <attribute name="born" optional="YES" attributeType="Date" minDateTimeInterval="100"
                    maxDateTimeInterval="200"/>
                <attribute name="code" optional="YES" attributeType="String" regularExpressionString="[0-9]+"/>
                <attribute name="name" optional="YES" attributeType="String" minValueString="2" maxValueString="5"/>
            </entity>
        </model>
        """

    private static func context() throws -> NSManagedObjectContext {
        let model = try NSManagedObjectModel.load(document: Array(file.utf8), name: "Pets").model
        return try Library.inMemory(model).context()
    }

    /// [H] Limits of numbers, dates, lengths, and patterns.
    @Test("f.3 a value outside the limits of its attribute fails with the code for it", arguments: Failure.all)
    func limits(_ failure: Failure) throws {
        let context = try Self.context()
        _ = context.make("Pet", [failure.key: failure.value])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == failure.code)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == failure.key)
    }

    /// [H] Limits belong to what is allowed.
    @Test("f.3 a value at the limit is accepted", arguments: Failure.accepted)
    func atLimits(_ value: Failure) throws {
        let context = try Self.context()
        _ = context.make("Pet", [value.key: value.value])
        try context.save()
        #expect(!context.hasChanges)
    }

    /// [H][I] The table of the codes, by both of their names.
    @Test("f.3 every code has Core Data's number")
    func codes() {
        let codes: [(Int, CocoaError.Code, Int)] = [
            (NSManagedObjectValidationError, .managedObjectValidation, 1550),
            (NSManagedObjectConstraintValidationError, .managedObjectConstraintValidation, 1551),
            (NSValidationMultipleErrorsError, .validationMultipleErrors, 1560),
            (NSValidationMissingMandatoryPropertyError, .validationMissingMandatoryProperty, 1570),
            (NSValidationRelationshipLacksMinimumCountError, .validationRelationshipLacksMinimumCount, 1580),
            (NSValidationRelationshipExceedsMaximumCountError, .validationRelationshipExceedsMaximumCount, 1590),
            (NSValidationRelationshipDeniedDeleteError, .validationRelationshipDeniedDelete, 1600),
            (NSValidationNumberTooLargeError, .validationNumberTooLarge, 1610),
            (NSValidationNumberTooSmallError, .validationNumberTooSmall, 1620),
            (NSValidationDateTooLateError, .validationDateTooLate, 1630),
            (NSValidationDateTooSoonError, .validationDateTooSoon, 1640),
            (NSValidationInvalidDateError, .validationInvalidDate, 1650),
            (NSValidationStringTooLongError, .validationStringTooLong, 1660),
            (NSValidationStringTooShortError, .validationStringTooShort, 1670),
            (NSValidationStringPatternMatchingError, .validationStringPatternMatching, 1680),
            (NSValidationInvalidURIError, .validationInvalidURI, 1690),
            (NSManagedObjectContextLockingError, .managedObjectContextLocking, 132000),
            (NSPersistentStoreCoordinatorLockingError, .persistentStoreCoordinatorLocking, 132010),
            (NSManagedObjectReferentialIntegrityError, .managedObjectReferentialIntegrity, 133000),
            (NSManagedObjectExternalRelationshipError, .managedObjectExternalRelationship, 133010),
            (NSManagedObjectMergeError, .managedObjectMerge, 133020),
            (NSManagedObjectConstraintMergeError, .managedObjectConstraintMerge, 133021),
            (NSPersistentStoreInvalidTypeError, .persistentStoreInvalidType, 134000),
            (NSPersistentStoreTypeMismatchError, .persistentStoreTypeMismatch, 134010),
            (NSPersistentStoreIncompatibleSchemaError, .persistentStoreIncompatibleSchema, 134020),
            (NSPersistentStoreSaveError, .persistentStoreSave, 134030),
            (NSPersistentStoreIncompleteSaveError, .persistentStoreIncompleteSave, 134040),
            (NSPersistentStoreSaveConflictsError, .persistentStoreSaveConflicts, 134050),
            (NSCoreDataError, .coreData, 134060),
            (NSPersistentStoreOperationError, .persistentStoreOperation, 134070),
            (NSPersistentStoreOpenError, .persistentStoreOpen, 134080),
            (NSPersistentStoreTimeoutError, .persistentStoreTimeout, 134090),
            (NSPersistentStoreUnsupportedRequestTypeError, .persistentStoreUnsupportedRequestType, 134091),
            (NSPersistentStoreIncompatibleVersionHashError, .persistentStoreIncompatibleVersionHash, 134100),
            (NSMigrationError, .migration, 134110),
            (NSMigrationConstraintViolationError, .migrationConstraintViolation, 134111),
            (NSMigrationCancelledError, .migrationCancelled, 134120),
            (NSMigrationMissingSourceModelError, .migrationMissingSourceModel, 134130),
            (NSMigrationMissingMappingModelError, .migrationMissingMappingModel, 134140),
            (NSMigrationManagerSourceStoreError, .migrationManagerSourceStore, 134150),
            (NSMigrationManagerDestinationStoreError, .migrationManagerDestinationStore, 134160),
            (NSEntityMigrationPolicyError, .entityMigrationPolicy, 134170),
            (NSSQLiteError, .sqlite, 134180),
            (NSInferredMappingModelError, .inferredMappingModel, 134190),
            (NSExternalRecordImportError, .externalRecordImport, 134200),
            (NSPersistentHistoryTokenExpiredError, .persistentHistoryTokenExpired, 134301),
        ]
        for (constant, code, number) in codes {
            #expect(constant == number)
            #expect(code.rawValue == number)
        }
    }

    /// A team with so many players, where two or three are asked for.
    private static func save(players: Int, optional: Bool, minimum: Int = 2) throws {
        let team = ModelSketch.entity("Team", [ModelSketch.attribute("name")])
        let player = ModelSketch.entity("Player", [ModelSketch.attribute("name")])
        let members = ModelSketch.relate(team, "players", toMany: player, "team")
        (members.minCount, members.maxCount, members.isOptional) = (minimum, 3, optional)
        let context = try Library.inMemory(ModelSketch.model(team, player)).context()
        let made = context.make("Team")
        for _ in 0..<players { _ = context.make("Player", ["team": made]) }
        try context.save()
    }

    /// [H] Too few and too many.
    @Test("f.4 counts outside the limits of a relationship fail with 1580 and 1590", arguments: [(1, 1580), (4, 1590)])
    func counts(_ players: Int, _ code: Int) throws {
        for optional in [true, false] {
            let error = #expect(throws: NSError.self) { try Self.save(players: players, optional: optional) }
            #expect(error?.code == code)
        }
        try Self.save(players: 2, optional: true)
        try Self.save(players: 3, optional: false)
    }

    /// [H] An optional relationship may be empty, whatever its minimum.
    @Test("f.4 counts of an empty relationship matter only if it is not optional")
    func emptyRelationship() throws {
        try Self.save(players: 0, optional: true)
        let tooFew = #expect(throws: NSError.self) { try Self.save(players: 0, optional: false) }
        #expect(tooFew?.code == NSValidationRelationshipLacksMinimumCountError)
    }

    /// Stores that Apple's framework wrote are full of them.
    @Test("m.28 a mandatory to-many without a minimum count may be empty, new and when its last member leaves")
    func emptyMandatory() throws {
        try Self.save(players: 0, optional: false, minimum: 0)
        let team = ModelSketch.entity("Team", [ModelSketch.attribute("name")])
        let player = ModelSketch.entity("Player", [ModelSketch.attribute("name")])
        ModelSketch.relate(team, "players", toMany: player, "team").isOptional = false
        let context = try Library.inMemory(ModelSketch.model(team, player)).context()
        let made = context.make("Team")
        let last = context.make("Player", ["team": made])
        try context.save()
        last.setValue(nil, forKey: "team")
        try context.save()
        made.setValue(NSSet(object: last), forKey: "players")
        try context.save()
        context.delete(last)
        try context.save()
        #expect((made.value(forKey: "players") as? NSSet)?.count == 0)
    }

    /// [H] A store has to know what to write.
    @Test("f.4 an attribute of undefined type must be transient")
    func undefinedType() async throws {
        let transient = ModelSketch.attribute("value", .undefinedAttributeType)
        transient.isTransient = true
        let entity = ModelSketch.entity("Holder", [transient, ModelSketch.attribute("name")])
        let context = try Library.inMemory(ModelSketch.model(entity)).context()
        let holder = context.make("Holder", ["value": [1, 2]])
        try context.save()
        #expect(holder.value(forKey: "value") as? [Int] == [1, 2])
        await #expect(processExitsWith: .failure) {
            let entity = ModelSketch.entity("Holder", [ModelSketch.attribute("value", .undefinedAttributeType)])
            _ = try Library.inMemory(ModelSketch.model(entity))
        }
    }

    /// [S] Storable's tests.
    @Test("f.4 a transient attribute that is mandatory needs a value")
    func mandatoryTransient() throws {
        let transient = ModelSketch.attribute("value", .undefinedAttributeType)
        (transient.isTransient, transient.isOptional) = (true, false)
        let entity = ModelSketch.entity("Holder", [transient, ModelSketch.attribute("name")])
        let context = try Library.inMemory(ModelSketch.model(entity)).context()
        let holder = context.make("Holder", ["name": "Ada"])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        holder.setValue([1], forKey: "value")
        try context.save()
    }

    /// [H] Apple raises; a change of a model in use stops the program, with the advice to change a copy.
    @Test("f.5 a model that a coordinator uses cannot be changed")
    func immutable() async {
        await #expect(processExitsWith: .failure) {
            let model = Library.model()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            model.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = false
            withExtendedLifetime(coordinator) {}
        }
    }

    /// [H] Before that it can.
    @Test("f.5 a model that no coordinator uses can be changed")
    func mutable() {
        let model = Library.model()
        model.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = false
        #expect(model.entitiesByName["Author"]?.attributesByName["name"]?.isOptional == false)
    }
}
