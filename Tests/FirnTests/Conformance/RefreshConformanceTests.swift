import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Reading again, and letting go. Line numbers are those of section (c) of the behaviour checklist.
@Suite("Conformance (c): refreshing")
struct RefreshConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let other: NSManagedObjectContext
    let mine: NSManagedObject
    let theirs: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        other = coordinator.context()
        theirs = other.make("Author", ["name": "Ada", "age": 36])
        try other.save()
        mine = try context.existingObject(with: theirs.objectID)
        _ = mine.value(forKey: "name")
    }

    /// [H][MIO][CDP]
    @Test("c.5 refresh without merging makes a fault, and drops edits and transient values")
    func refreshDrops() {
        mine.setValue("Mine", forKey: "name")
        mine.setValue("nick", forKey: "nickname")
        context.refresh(mine, mergeChanges: false)
        #expect(mine.isFault)
        #expect(!mine.hasChanges)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        #expect(mine.value(forKey: "nickname") == nil)
    }

    /// [H]
    @Test("c.5 refresh with merging reads the row again and lays local edits over it")
    func refreshMerges() throws {
        mine.setValue("Mine", forKey: "name")
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try other.save()
        context.refresh(mine, mergeChanges: true)
        #expect(!mine.isFault)
        #expect(mine.value(forKey: "name") as? String == "Mine")
        #expect(mine.value(forKey: "age") as? Int == 40)
    }

    /// [CDP]
    @Test("c.6 refreshAllObjects makes faults of clean objects, and leaves changed ones their edits")
    func refreshAll() throws {
        let clean = context.make("Author", ["name": "Bob"])
        try context.save()
        mine.setValue("Mine", forKey: "name")
        context.refreshAllObjects()
        #expect(clean.isFault)
        #expect(!mine.isFault)
        #expect(mine.value(forKey: "name") as? String == "Mine")
        #expect(context.updatedObjects == [mine])
    }

    /// The deletion was merged here, and then overruled by a save that had not seen it. [K]
    @Test("c.6 refreshAllObjects brings back what another save wrote again after its deletion")
    func refreshRevives() throws {
        let third = coordinator.context()
        third.delete(try third.existingObject(with: mine.objectID))
        let deletion = try #require(try third.saveNotification())
        context.mergeChanges(fromContextDidSave: deletion)
        #expect(mine.isDeleted)
        theirs.setValue("Again", forKey: "name")
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try other.save()
        context.refreshAllObjects()
        #expect(!mine.isDeleted)
        #expect(mine.text("name") == "Again")
        #expect(try context.all("Author") == [mine])
        #expect(!context.hasChanges)
    }

    /// [CDP]
    @Test("c.6 refreshAllObjects drops the transient values of clean objects")
    func refreshAllTransients() throws {
        mine.setPrimitiveValue("nick", forKey: "nickname")
        context.refreshAllObjects()
        #expect(mine.value(forKey: "nickname") == nil)
    }

    /// [CDP]
    @Test("c.6 transient values outlive a save, but neither refreshAllObjects nor reset")
    func transientsAfterSave() throws {
        mine.setValue("nick", forKey: "nickname")
        try context.save()
        #expect(mine.value(forKey: "nickname") as? String == "nick")
        context.refreshAllObjects()
        #expect(mine.value(forKey: "nickname") == nil)
        mine.setValue("new", forKey: "nickname")
        context.reset()
        #expect(mine.value(forKey: "nickname") == nil)
    }

    /// A save of another coordinator is what a batch update is: behind this coordinator's row cache. [CDP]
    @Test("c.7 refresh gives the cached row, and reads the store if no cached row is fresh enough")
    func staleness() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (near, far) = (try Library.onDisk(directory), try Library.onDisk(directory))
        let (context, other) = (near.context(), far.context())
        let mine = context.make("Author", ["name": "Ada"])
        try context.save()
        #expect(context.stalenessInterval == -1)
        try #require(try other.all("Author").first).setValue("Eve", forKey: "name")
        try other.save()
        context.refresh(mine, mergeChanges: false)
        #expect(mine.value(forKey: "name") as? String == "Ada")
        context.stalenessInterval = 0
        context.refresh(mine, mergeChanges: false)
        #expect(mine.value(forKey: "name") as? String == "Eve")
    }

    /// As documented; Apple's own does not. [CDP]
    @Test("c.8 a fetch refreshes objects that it finds again, if asked to", arguments: [true, false])
    func refreshRefetched(isAsked: Bool) throws {
        theirs.setValue("Eve", forKey: "name")
        try other.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.shouldRefreshRefetchedObjects = isAsked
        #expect(try context.fetch(request) == [mine])
        #expect(mine.value(forKey: "name") as? String == (isAsked ? "Eve" : "Ada"))
    }

    /// [H][CDP]
    @Test("c.9 a context forgets clean objects that nobody holds")
    func weakRegistry() throws {
        let context = coordinator.context()
        #expect(!context.retainsRegisteredObjects)
        func makeSome() { for index in 0..<10 { _ = context.make("Tag", ["label": "\(index)"]) } }
        makeSome()
        context.processPendingChanges()
        #expect(context.registeredObjects.count == 10)
        try context.save()
        #expect(context.registeredObjects.isEmpty)
    }

    /// [H]
    @Test("c.9 a context keeps changed and deleted objects that nobody holds")
    func dirtyRegistry() throws {
        func change() throws {
            _ = context.make("Tag")
            let tag = other.make("Tag")
            try other.save()
            try context.existingObject(with: tag.objectID).setValue("new", forKey: "label")
            let doomed = other.make("Tag")
            try other.save()
            context.delete(try context.existingObject(with: doomed.objectID))
        }
        try change()
        context.processPendingChanges()
        #expect(context.registeredObjects.filter { $0.entity.name == "Tag" }.count == 3)
    }

    /// [H]
    @Test("c.9 a context that retains registered objects keeps clean ones too")
    func strongRegistry() throws {
        let context = coordinator.context()
        context.retainsRegisteredObjects = true
        func makeSome() { for _ in 0..<10 { _ = context.make("Tag") } }
        makeSome()
        try context.save()
        #expect(context.registeredObjects.count == 10)
        context.retainsRegisteredObjects = false
        #expect(context.registeredObjects.isEmpty)
    }

    /// A fault of `context` whose row `other` has deleted.
    private func inaccessible(in context: NSManagedObjectContext) throws -> NSManagedObject {
        let doomed = other.make("Author", ["name": "Doomed"])
        try other.save()
        let fault = context.object(with: doomed.objectID)
        other.delete(doomed)
        try other.save()
        return fault
    }

    /// [H][K]
    @Test("c.10 a fault whose row is gone becomes a deleted object without values")
    func inaccessibleFault() throws {
        #expect(context.shouldDeleteInaccessibleFaults)
        let fault = try inaccessible(in: context)
        #expect(fault.value(forKey: "name") == nil)
        #expect(fault.isDeleted)
        #expect(!fault.isFault)
        try context.save()
        #expect(!context.hasChanges)
    }

    /// [H]
    @Test("c.10 existingObject throws for a row that is gone")
    func inaccessibleObject() throws {
        let fault = try inaccessible(in: context)
        let error = #expect(throws: NSError.self) { try context.existingObject(with: fault.objectID) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }

    /// Apple raises an exception; Swift has none. [H]
    @Test("c.10 without deletion of inaccessible faults, reading one stops the program")
    func inaccessibleFaultTraps() async {
        await #expect(processExitsWith: .failure) {
            let coordinator = try Library.inMemory()
            let (context, other) = (coordinator.context(), coordinator.context())
            context.shouldDeleteInaccessibleFaults = false
            let doomed = other.make("Author", ["name": "Doomed"])
            try other.save()
            let fault = context.object(with: doomed.objectID)
            other.delete(doomed)
            try other.save()
            _ = fault.value(forKey: "name")
        }
    }

    /// A subclass of the context decides for each fault. [H]
    @Test("c.10 the hook is asked with the fault, its ID and the property, but not by a throwing method")
    func hook() throws {
        let context = ForgivingContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.shouldDeleteInaccessibleFaults = false
        let fault = try inaccessible(in: context)
        let id = fault.objectID
        #expect(throws: NSError.self) { try context.existingObject(with: id) }
        #expect(context.asked.isEmpty)
        #expect(fault.value(forKey: "name") == nil)
        #expect(context.asked == [id])
    }

    private final class ForgivingContext: NSManagedObjectContext, @unchecked Sendable {
        private(set) var asked: [NSManagedObjectID] = []

        override func shouldHandleInaccessibleFault(
            _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
        ) -> Bool {
            asked.append(oid)
            return true
        }
    }
}
