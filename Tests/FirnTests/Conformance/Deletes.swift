import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (e): delete rules and what a deletion leaves.
@Suite("Conformance (e): deletes")
struct DeleteConformanceTests {
    /// A company and its employees; `rule` is what becomes of them when it goes.
    private static func context(_ rule: NSDeleteRule) throws -> NSManagedObjectContext {
        let company = ModelSketch.entity("Company", [ModelSketch.attribute("name")])
        let employee = ModelSketch.entity("Employee", [ModelSketch.attribute("name")])
        ModelSketch.relate(company, "employees", toMany: employee, "company").deleteRule = rule
        return try Library.inMemory(ModelSketch.model(company, employee)).context()
    }

    /// A saved company with one saved employee.
    private static func staff(
        _ context: NSManagedObjectContext
    ) throws -> (company: NSManagedObject, employee: NSManagedObject) {
        let company = context.make("Company", ["name": "Firm"])
        let employee = context.make("Employee", ["name": "Ada", "company": company])
        try context.save()
        return (company, employee)
    }

    /// [H] The numbers that models on disk hold.
    @Test("e.1 the delete rules are numbered 0 to 3")
    func rules() {
        let rules: [NSDeleteRule] = [
            .noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule,
        ]
        #expect(rules.map(\.rawValue) == [0, 1, 2, 3])
    }

    /// [H] Rules act at the end of the event, not in `delete`.
    @Test("e.1 a cascade happens when pending changes are processed")
    func cascade() throws {
        let context = try Self.context(.cascadeDeleteRule)
        let (company, employee) = try Self.staff(context)
        context.delete(company)
        #expect(!employee.isDeleted)
        context.processPendingChanges()
        #expect(employee.isDeleted)
        try context.save()
        #expect(try context.all("Employee").isEmpty)
    }

    /// [H] As above, for the inverse.
    @Test("e.1 the inverse is nullified when pending changes are processed")
    func nullify() throws {
        let context = try Self.context(.nullifyDeleteRule)
        let (company, employee) = try Self.staff(context)
        context.delete(company)
        #expect(employee.value(forKey: "company") as? NSManagedObject === company)
        context.processPendingChanges()
        #expect(employee.value(forKey: "company") == nil)
        #expect(!employee.isDeleted)
    }

    /// [H] With propagation at the end of the event switched off, the save is what lets rules act.
    @Test(
        "e.1 without propagation at the end of the event the rules act in the save",
        arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule])
    func propagationAtSave(_ rule: NSDeleteRule) throws {
        let context = try Self.context(rule)
        context.propagatesDeletesAtEndOfEvent = false
        let (company, employee) = try Self.staff(context)
        context.delete(company)
        context.processPendingChanges()
        #expect(!employee.isDeleted)
        #expect(employee.value(forKey: "company") as? NSManagedObject === company)
        try context.save()
        #expect(employee.value(forKey: "company") == nil || employee.isDeleted)
        #expect(try context.all("Employee").count == (rule == .cascadeDeleteRule ? 0 : 1))
    }

    /// [H] The order of a cascade is not specified, its end is.
    @Test("e.1 a cascade through a cycle ends")
    func cycle() throws {
        let node = ModelSketch.entity("Node", [ModelSketch.attribute("name")])
        let children = ModelSketch.relate(node, "children", toMany: node, "parent")
        children.deleteRule = .cascadeDeleteRule
        children.inverseRelationship?.deleteRule = .cascadeDeleteRule
        let context = try Library.inMemory(ModelSketch.model(node)).context()
        let root = context.make("Node")
        let leaf = context.make("Node", ["parent": root])
        root.setValue(leaf, forKey: "parent")
        try context.save()
        context.delete(leaf)
        try context.save()
        #expect(try context.all("Node").isEmpty)
    }

    /// [FCD][MIO] Deny is a matter of validation: the save fails, and the object stays marked as deleted.
    @Test("e.2 deny fails the save with 1600 where the relationship is not empty")
    func deny() throws {
        let context = try Self.context(.denyDeleteRule)
        let (company, _) = try Self.staff(context)
        context.delete(company)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "employees")
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === company)
        #expect(company.isDeleted)
        context.rollback()
        #expect(!company.isDeleted)
        #expect(try context.all("Company").count == 1)
    }

    /// [FCD][MIO] What forbids the deletion goes with it, or has left.
    @Test(
        "e.2 deny lets the object go when its related objects are deleted too, or are elsewhere",
        arguments: [true, false])
    func denyLifted(_ isDeleted: Bool) throws {
        let context = try Self.context(.denyDeleteRule)
        let (company, employee) = try Self.staff(context)
        context.delete(company)
        if isDeleted { context.delete(employee) } else { employee.setValue(nil, forKey: "company") }
        try context.save()
        #expect(try context.all("Company").isEmpty)
        #expect(try context.all("Employee").count == (isDeleted ? 0 : 1))
    }

    /// [MIO] The other side goes on pointing at what is not there.
    @Test("e.3 no action leaves the other side pointing at an object that is gone: 133000")
    func noAction() throws {
        let context = try Self.context(.noActionDeleteRule)
        let (company, employee) = try Self.staff(context)
        let id = company.objectID
        context.delete(company)
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        let dangling = try reader.existingObject(with: employee.objectID).value(forKey: "company") as? NSManagedObject
        #expect(dangling?.objectID == id)
        let error = #expect(throws: NSError.self) { try reader.existingObject(with: id) }
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }

    /// [MIO] An insertion and its deletion cancel each other.
    @Test("e.3 deleting an unsaved object leaves nothing to save, and no trace in the store")
    func annihilation() throws {
        let context = try Self.context(.cascadeDeleteRule)
        _ = try Self.staff(context)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
        let new = context.make("Company", ["name": "New"])
        context.delete(new)
        #expect(!context.hasChanges)
        #expect(context.deletedObjects.isEmpty)
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        try context.save()
        let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
        #expect(did.notifications.first?.userInfo?.keys.contains { keys.contains("\($0)") } != true)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == before)
    }

    /// As a public test suite that runs on Apple's framework expects.
    @Test("e.3 an object that is inserted and deleted in one event is told as deleted only, and no undo brings it")
    func brief() throws {
        let context = try Self.context(.cascadeDeleteRule)
        context.undoManager = FirnFoundation.UndoManager()
        context.undoManager?.groupsByEvent = false
        let changes = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.undoManager?.beginUndoGrouping()
        let new = context.make("Company")
        context.delete(new)
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
        let told = try #require(changes.notifications.first)
        #expect(told.objects(NSDeletedObjectsKey) == [new])
        #expect(told.objects(NSInsertedObjectsKey) == nil)
        context.undo()
        #expect(new.isDeleted)
        #expect(context.insertedObjects.isEmpty)
    }

    /// [MIO] And with it what its rules had done.
    @Test("e.3 rollback brings a deleted object back, with the objects and relationships that went with it")
    func rollback() throws {
        let context = try Self.context(.cascadeDeleteRule)
        let (company, employee) = try Self.staff(context)
        context.delete(company)
        context.processPendingChanges()
        context.rollback()
        #expect(!company.isDeleted && !employee.isDeleted)
        #expect(employee.value(forKey: "company") as? NSManagedObject === company)
        #expect(company.value(forKey: "employees") as? NSSet == NSSet(object: employee))
        #expect(!context.hasChanges)
    }

    /// [H] The basic rules, in the store: hooks and counts are not asked, and contexts do not hear of it.
    @Test("e.4 a batch delete goes by the delete rules, without validation and below contexts")
    func batchDelete() throws {
        let context = try Self.context(.nullifyDeleteRule)
        let (company, employee) = try Self.staff(context)
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        _ = try context.execute(NSBatchDeleteRequest(objectIDs: [company.objectID]))
        #expect(change.notifications.isEmpty)
        #expect(employee.value(forKey: "company") as? NSManagedObject === company)
        context.reset()
        #expect(try context.all("Company").isEmpty)
        #expect(try context.all("Employee").map { $0.value(forKey: "company") == nil } == [true])
    }
}
