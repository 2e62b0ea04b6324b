import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Relating objects to what is not there")
struct DanglingReferenceConformanceTests {
    /// Firms and their staff with an inverse; a guest's host and a firm's visitors have none.
    ///
    ///     Firm  ──staff──▶▶ Person      Person.firm is the inverse; `isMandatory` says whether it must be set
    ///     Firm  ──guests──▶▶ Person     no inverse
    ///     Person ──host──▶ Firm         no inverse; mandatory likewise
    private static func coordinator(
        isMandatory: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
    ) throws -> NSPersistentStoreCoordinator {
        let firm = ModelSketch.entity("Firm", [ModelSketch.attribute("name")])
        let person = ModelSketch.entity("Person", [ModelSketch.attribute("name")])
        let staff = ModelSketch.relate(firm, "staff", toMany: person, "firm")
        staff.deleteRule = rule
        staff.inverseRelationship?.isOptional = !isMandatory
        let guests = NSRelationshipDescription()
        guests.name = "guests"
        guests.destinationEntity = person
        firm.properties.append(guests)
        let host = NSRelationshipDescription()
        host.name = "host"
        host.destinationEntity = firm
        host.maxCount = 1
        host.isOptional = !isMandatory
        person.properties.append(host)
        return try Library.inMemory(ModelSketch.model(firm, person))
    }

    /// A context that has a firm as a fault, which another context has deleted.
    private static func bereft(
        _ coordinator: NSPersistentStoreCoordinator
    ) throws -> (context: NSManagedObjectContext, firm: NSManagedObject) {
        let (context, other) = (coordinator.context(), coordinator.context())
        let made = other.make("Firm", ["name": "Snow"])
        try other.save()
        let firm = try #require(try context.all("Firm").first)
        #expect(firm.isFault)
        other.delete(made)
        try other.save()
        return (context, firm)
    }

    /// What a new context reads of the only person.
    private static func stored(_ context: NSManagedObjectContext, _ key: String) throws -> NSManagedObject? {
        let reader = try #require(context.persistentStoreCoordinator).context()
        let person = try #require(try reader.all("Person").first)
        return withExtendedLifetime(reader) { person.value(forKey: key) as? NSManagedObject }
    }

    private static func isMissing(_ error: NSError?, _ key: String, _ object: NSManagedObject) -> Bool {
        error?.code == NSValidationMissingMandatoryPropertyError
            && error?.userInfo[NSValidationKeyErrorKey] as? String == key
            && error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object
    }

    @Test("what comes back when its saved deletion is undone leads to nothing whose deletion was saved with it")
    func undoneDeletion() throws {
        let context = try Self.coordinator().context()
        let (firm, person) = (context.make("Firm", ["name": "Snow"]), context.make("Person", ["name": "Ada"]))
        person.setValue(firm, forKey: "host")
        try context.save()
        let manager = FirnFoundation.UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        for object in [firm, person] {
            manager.beginUndoGrouping()
            context.delete(object)
            context.processPendingChanges()
            manager.endUndoGrouping()
        }
        try context.save()
        context.undo()
        #expect(person.text("name") == "Ada")
        #expect(person.value(forKey: "host") == nil)
        try context.save()
        #expect(try Self.stored(context, "host") == nil)
    }

    @Test(
        "to set a relationship to what it was is no change, though another save deleted what it leads to",
        arguments: [true, false])
    func sameDestination(_ isSetBefore: Bool) throws {
        let coordinator = try Self.coordinator()
        let (context, other) = (coordinator.context(), coordinator.context())
        let (firm, person) = (context.make("Firm", ["name": "Snow"]), context.make("Person", ["name": "Ada"]))
        person.setValue(firm, forKey: "host")
        try context.save()
        other.delete(other.object(with: firm.objectID))
        try other.save()
        if isSetBefore { person.setValue(nil, forKey: "host") }
        person.setValue(firm, forKey: "host")
        try context.save()
        #expect(person.value(forKey: "host") as? NSManagedObject === firm)
    }

    @Test("c.11 an object related to a fault whose row is gone is saved without it", arguments: ["firm", "host"])
    func gone(_ key: String) throws {
        let (context, firm) = try Self.bereft(Self.coordinator())
        let person = context.make("Person", ["name": "Ada"])
        person.setValue(firm, forKey: key)
        try context.save()
        #expect(person.value(forKey: key) == nil)
        #expect(try Self.stored(context, key) == nil)
    }

    @Test("c.11 a stored object related to a fault whose row is gone is saved without it", arguments: ["firm", "host"])
    func goneForStored(_ key: String) throws {
        let coordinator = try Self.coordinator()
        let early = coordinator.context()
        _ = early.make("Person", ["name": "Ada"])
        try early.save()
        let (context, firm) = try Self.bereft(coordinator)
        let person = try #require(try context.all("Person").first)
        person.setValue(firm, forKey: key)
        try context.save()
        #expect(try Self.stored(context, key) == nil)
    }

    @Test("c.11 where a relationship must be set, what is gone fails the save with 1570", arguments: ["firm", "host"])
    func mandatory(_ key: String) throws {
        let (context, firm) = try Self.bereft(Self.coordinator(isMandatory: true))
        let stand = context.make("Firm")
        let person = context.make("Person", ["firm": stand, "host": stand])
        person.setValue(firm, forKey: key)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(Self.isMissing(error, key, person))
        person.setValue(stand, forKey: key)
        try context.save()
    }

    @Test("c.11 a mandatory relationship that a merge policy ended fails the save with 1570")
    func severed() throws {
        let coordinator = try Self.coordinator(isMandatory: true)
        let (context, firm) = try Self.bereft(coordinator)
        let other = coordinator.context()
        let made = other.make("Firm", ["name": "Ice"])
        try other.save()
        let alive = try context.existingObject(with: made.objectID)
        let person = context.make("Person", ["firm": alive, "host": context.make("Firm")])
        other.delete(made)
        try other.save()
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(Self.isMissing(error, "firm", person))
        withExtendedLifetime(firm) {}
    }

    @Test("c.11 members that are gone are not stored", arguments: ["guests", "staff"])
    func members(_ key: String) throws {
        let coordinator = try Self.coordinator()
        let (context, other) = (coordinator.context(), coordinator.context())
        let made = other.make("Person", ["name": "Ada"])
        try other.save()
        let person = try #require(try context.all("Person").first)
        other.delete(made)
        try other.save()
        let firm = context.make("Firm")
        firm.mutableSetValue(forKey: key).add(person)
        try context.save()
        #expect((firm.value(forKey: key) as? NSSet)?.count == 0)
        let reader = coordinator.context()
        #expect((try reader.existingObject(with: firm.objectID).value(forKey: key) as? NSSet)?.count == 0)
    }

    @Test("c.11 an object related to one whose deletion is pending is without it when pending changes are processed")
    func pendingDeletion() throws {
        let context = try Self.coordinator(rule: .cascadeDeleteRule).context()
        let firm = context.make("Firm")
        try context.save()
        context.delete(firm)
        context.processPendingChanges()
        let person = context.make("Person", ["firm": firm])
        context.processPendingChanges()
        #expect(person.value(forKey: "firm") == nil)
        #expect(!person.isDeleted)
        try context.save()
        #expect(try Self.stored(context, "firm") == nil)
    }

    @Test("c.11 a save that deletes an object under no action does not lead a new object to it")
    func noAction() throws {
        let context = try Self.coordinator(rule: .noActionDeleteRule).context()
        let firm = context.make("Firm")
        try context.save()
        _ = context.make("Person", ["firm": firm])
        context.delete(firm)
        try context.save()
        #expect(try Self.stored(context, "firm") == nil)
    }

    @Test(
        "c.11 what leads to an object that is then deleted here under no action leads there until the save ends it",
        arguments: [false, true])
    func noActionLater(_ isDeletedInChild: Bool) throws {
        let coordinator = try Self.coordinator(rule: .noActionDeleteRule)
        let (context, other) = (coordinator.context(), coordinator.context())
        let (firm, person) = (context.make("Firm"), context.make("Person"))
        try context.save()
        person.setValue(firm, forKey: "firm")
        if isDeletedInChild {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = context
            child.delete(child.object(with: firm.objectID))
            try child.save()
        } else {
            context.delete(firm)
        }
        other.object(with: person.objectID).setValue(other.make("Firm"), forKey: "firm")
        try other.save()
        context.refreshAllObjects()
        #expect(firm.isDeleted)
        #expect(person.value(forKey: "firm") as? NSManagedObject === firm)
        try context.save()
        #expect(person.value(forKey: "firm") == nil)
        #expect(try Self.stored(context, "firm") == nil)
    }

    @Test("c.11 a step that led an object away from one deleted under no action leaves no change when it is undone")
    func undoneStep() throws {
        let coordinator = try Self.coordinator(rule: .noActionDeleteRule)
        let (context, other) = (coordinator.context(), coordinator.context())
        let (firm, person) = (context.make("Firm", ["name": "Snow"]), context.make("Person"))
        person.setValue(firm, forKey: "firm")
        try context.save()
        context.delete(firm)
        context.processPendingChanges()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        manager.beginUndoGrouping()
        person.setValue(context.make("Firm"), forKey: "firm")
        context.processPendingChanges()
        manager.endUndoGrouping()
        context.undo()
        #expect(person.value(forKey: "firm") as? NSManagedObject === firm)
        other.object(with: firm.objectID).setValue("Ice", forKey: "name")
        try other.save()
        // The deletion is dropped: then the reference leads to an object, as before.
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect(firm.text("name") == "Ice")
        #expect(try Self.stored(context, "firm")?.objectID == firm.objectID)
    }

    @Test(
        "c.11 overwrite pushes that an object leads to nothing, where that is deleted here",
        arguments: ["firm", "host"])
    func pushedDeletion(_ key: String) throws {
        let coordinator = try Self.coordinator(rule: .noActionDeleteRule)
        let (context, other) = (coordinator.context(), coordinator.context())
        let firm = context.make("Firm")
        let person = context.make("Person", [key: firm])
        try context.save()
        other.object(with: person.objectID).setValue(other.make("Firm"), forKey: key)
        try other.save()
        context.delete(firm)
        person.setValue("Ada", forKey: "name")
        context.mergePolicy = NSMergePolicy.overwrite
        try context.save()
        #expect(person.value(forKey: key) == nil)
        #expect(try Self.stored(context, key) == nil)
    }

    @Test("c.11 a new member without an inverse stays one when store trump drops its deletion")
    func droppedDeletion() throws {
        let coordinator = try Self.coordinator()
        let (context, other) = (coordinator.context(), coordinator.context())
        let (firm, person) = (context.make("Firm"), context.make("Person"))
        try context.save()
        other.object(with: person.objectID).setValue("Ada", forKey: "name")
        try other.save()
        firm.mutableSetValue(forKey: "guests").add(person)
        context.delete(person)
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        let reader = coordinator.context()
        let guests = try reader.existingObject(with: firm.objectID).value(forKey: "guests") as? Set<NSManagedObject>
        #expect(guests?.map { $0.text("name") } == ["Ada"])
    }

    @Test(
        "c.11 an object related to one whose deletion was saved fails the save with 1550", arguments: ["firm", "host"])
    func deletionSaved(_ key: String) throws {
        let context = try Self.coordinator().context()
        let firm = context.make("Firm")
        try context.save()
        context.delete(firm)
        try context.save()
        let person = context.make("Person", [key: firm])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectValidationError)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        #expect(error?.userInfo[NSValidationValueErrorKey] as? NSManagedObject === firm)
        person.setValue(nil, forKey: key)
        try context.save()
    }

    @Test("c.11 an object in no context fails the save with 1550 until it is inserted", arguments: [false, true])
    func neverInserted(_ isChild: Bool) throws {
        let root = try Self.coordinator().context()
        let context = isChild ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : root
        if isChild { context.parent = root }
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Firm", in: context))
        let firm = NSManagedObject(entity: entity, insertInto: nil)
        let person = context.make("Person", ["host": firm])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectValidationError)
        context.insert(firm)
        try context.save()
        #expect(person.value(forKey: "host") as? NSManagedObject === firm)
    }

    @Test("c.11 a save ends what leads to an object that was deleted before it was saved", arguments: [false, true])
    func discarded(_ undoes: Bool) throws {
        let context = try Self.coordinator().context()
        if undoes {
            context.undoManager = UndoManager()
            context.undoManager?.groupsByEvent = false
        }
        let (firm, guest) = (context.make("Firm"), context.make("Person"))
        let person = context.make("Person", ["host": firm])
        let other = context.make("Firm", ["guests": NSSet(array: [guest])])
        context.processPendingChanges()
        context.delete(firm)
        context.delete(guest)
        try context.save()
        #expect(person.value(forKey: "host") == nil)
        #expect(other.value(forKey: "guests") as? Set<NSManagedObject> == [])
    }

    @Test("c.11 a child saves without what its parent's store no longer has")
    func child() throws {
        let (parent, firm) = try Self.bereft(Self.coordinator())
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let person = child.make("Person", ["firm": child.object(with: firm.objectID)])
        try child.save()
        #expect(person.value(forKey: "firm") == nil)
        try parent.save()
        #expect(try Self.stored(parent, "firm") == nil)
    }
}
