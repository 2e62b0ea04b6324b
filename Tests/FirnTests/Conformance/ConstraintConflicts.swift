import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (b): uniqueness constraints.
@Suite("Conformance (b): constraint conflicts")
struct ConstraintConflictConformanceTests {
    typealias Recording = MergeConflictConformanceTests.Recording

    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let reader: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory(ModelSketch.correspondence())
        context = coordinator.context()
        reader = coordinator.context()
    }

    private func conflicts() throws -> [NSConstraintConflict] {
        let error = #expect(throws: NSError.self) { try self.context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        return try #require(error?.userInfo["conflictList"] as? [NSConstraintConflict])
    }

    private func stored(_ entity: String = "Person") throws -> [[String?]] {
        try reader.all(entity, sortedBy: "email").map { [$0.text("email"), $0.text("name"), $0.text("city")] }
    }

    /// [H] Two constraints violated by the same pair of objects are two conflicts.
    @Test("b.6 there is one conflict for each violated constraint")
    func oneEach() throws {
        _ = context.make("Customer", ["email": "ada@a", "number": "1"])
        try context.save()
        _ = context.make("Customer", ["email": "ada@a", "number": "1"])
        #expect(try Set(conflicts().map(\.constraint)) == [["email"], ["number"]])
    }

    /// An application that imports again what it has. The time of a save grows with the count of its conflicts.
    @Test("b.6 a save settles many conflicts in a short time", .timeLimit(.minutes(1)))
    func many() throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        for city in ["Turin", "London"] {
            for number in 0..<24_000 { _ = context.make("Person", ["email": "\(number)@a", "city": city]) }
            try context.save()
        }
        #expect(try reader.all("Person").count == 24_000)
        #expect(try reader.strings("Person", "city") == ["London"])
    }

    @Test("b.6 a constraint of no properties is none")
    func empty() throws {
        let model = ModelSketch.correspondence()
        model.entitiesByName["Customer"]?.uniquenessConstraints = [[]]
        let context = try Library.inMemory(model).context()
        _ = (context.make("Customer", ["number": "1"]), context.make("Customer", ["number": "1"]))
        try context.save()
        #expect(try context.all("Customer").count == 2)
    }

    /// [H] A constraint that subentities inherit is one constraint, across all of them.
    @Test("b.6 a constraint that is inherited gives one conflict between objects of different entities")
    func hierarchy() throws {
        let ada = context.make("Person", ["email": "ada@a"])
        try context.save()
        let customer = context.make("Customer", ["email": "ada@a", "number": "1"])
        let found = try conflicts()
        #expect(found.map(\.constraint) == [["email"]])
        #expect(found.first?.databaseObject === ada)
        #expect(found.first?.conflictingObjects == [customer])
    }

    /// [H] Two objects of one context, and no row: the objects conflict with each other.
    @Test("b.7 a conflict within the context has no database object and two conflicting ones")
    func withinContext() throws {
        let one = context.make("Person", ["email": "ada@a"])
        let two = context.make("Person", ["email": "ada@a"])
        let conflict = try #require(try conflicts().first)
        #expect(conflict.databaseObject == nil)
        #expect(conflict.databaseSnapshot == nil)
        #expect(Set(conflict.conflictingObjects) == [one, two])
        #expect(conflict.constraintValues["email"] as? String == "ada@a")
    }

    /// [H] One object of the context, and a row, whose object and values the conflict has.
    @Test("b.7 a conflict with the store has the database object, its snapshot, and one conflicting object")
    func withStore() throws {
        let other = coordinator.context()
        let ada = other.make("Person", ["email": "ada@a", "name": "Ada"])
        try other.save()
        let eve = context.make("Person", ["email": "ada@a", "name": "Eve"])
        let conflict = try #require(try conflicts().first)
        #expect(conflict.databaseObject?.objectID == ada.objectID)
        #expect(conflict.databaseObject?.managedObjectContext === context)
        #expect(conflict.databaseSnapshot?["name"] as? String == "Ada")
        #expect(conflict.conflictingObjects == [eve])
    }

    /// [H] Objective-C has `NSNull` here; the Swift type has no room for it, so it is an empty dictionary.
    @Test("b.7 the snapshot of a conflicting object is what was saved, and empty for a new one")
    func snapshots() throws {
        _ = context.make("Person", ["email": "ada@a"])
        let bob = context.make("Person", ["email": "bob@b", "name": "Bob"])
        try context.save()
        bob.setValue("ada@a", forKey: "email")
        let changed = try #require(try conflicts().first)
        #expect(changed.conflictingSnapshots.first?["email"] as? String == "bob@b")
        context.rollback()
        _ = context.make("Person", ["email": "ada@a"])
        let new = try #require(try conflicts().first)
        #expect(new.conflictingSnapshots.map(\.isEmpty) == [true])
    }

    /// [H] Nothing is equal to null.
    @Test("b.7 null values do not conflict")
    func nulls() throws {
        _ = context.make("Person", ["name": "Ada"])
        _ = context.make("Person", ["name": "Bob"])
        try context.save()
        #expect(try stored().count == 2)
    }

    /// [H] Codes: 133020 and 133021 from the error policy, both with the list of conflicts.
    @Test("b.8 under the error policy a constraint conflict fails the save with 133021, and nothing is written")
    func errorCode() throws {
        _ = context.make("Person", ["email": "ada@a"])
        _ = context.make("Person", ["email": "ada@a"])
        #expect(try conflicts().count == 1)
        #expect(context.insertedObjects.count == 2)
        #expect(!context.insertedObjects.contains { !$0.objectID.isTemporaryID })
        #expect(try stored().isEmpty)
    }

    /// [H] A policy that returns without having resolved anything.
    @Test("b.8 conflicts that the policy leaves fail the save with 134050, and are in the error")
    func unresolved() throws {
        final class Idle: NSMergePolicy, @unchecked Sendable {
            override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {}
        }
        _ = context.make("Person", ["email": "ada@a"])
        _ = context.make("Person", ["email": "ada@a"])
        context.mergePolicy = Idle(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreSaveConflictsError)
        #expect((error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.count == 1)
        #expect(try stored().isEmpty)
    }

    /// What is stored after a new object came with the e-mail address of a stored one.
    struct Survivor: Sendable, CustomStringConvertible {
        let policy: NSMergePolicyType
        let row: [String?]

        var description: String { "\(policy)" }

        static let all = [
            Survivor(policy: .mergeByPropertyStoreTrumpMergePolicyType, row: ["ada@a", "Ada", "London"]),
            Survivor(policy: .mergeByPropertyObjectTrumpMergePolicyType, row: ["ada@a", "Eve", nil]),
            Survivor(policy: .overwriteMergePolicyType, row: ["ada@a", "Eve", nil]),
            Survivor(policy: .rollbackMergePolicyType, row: ["ada@a", "Ada", "London"]),
        ]
    }

    /// [S] A new object wins with all that it has, also where it was given no value; public code fills these in before.
    /// The object that lost is a fault in no context; public code tells by that what it did not insert.
    @Test(
        "b.14 of a stored and a new object the stored one survives, with the policy's values",
        arguments: Survivor.all)
    func survivor(_ expected: Survivor) throws {
        let ada = context.make("Person", ["email": "ada@a", "name": "Ada", "city": "London"])
        try context.save()
        let eve = context.make("Person", ["email": "ada@a", "name": "Eve"])
        context.mergePolicy = NSMergePolicy(merge: expected.policy)
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        try context.save()
        #expect(try stored() == [expected.row])
        #expect([ada.text("email"), ada.text("name"), ada.text("city")] == expected.row)
        #expect(try reader.all("Person").map(\.objectID) == [ada.objectID])
        #expect(eve.managedObjectContext == nil && eve.isFault && eve.text("name") == nil)
        #expect(did.notifications.first?.userInfo?[NSInsertedObjectsKey] == nil)
        #expect(!context.hasChanges)
    }

    /// [K] Pinned: relationships to the object that goes are not lost with it, though its delete rule cascades.
    @Test(
        "b.14 what belongs to the object that goes belongs to the survivor",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        ])
    func members(_ policy: NSMergePolicyType) throws {
        let ada = context.make("Person", ["email": "ada@a"])
        _ = context.make("Letter", ["text": "old", "sender": ada])
        try context.save()
        let again = context.make("Person", ["email": "ada@a"])
        _ = context.make("Letter", ["text": "new", "sender": again])
        context.mergePolicy = NSMergePolicy(merge: policy)
        try context.save()
        let letters = try reader.all("Letter")
        #expect(Set(letters.map { $0.text("text") }) == ["old", "new"])
        #expect(Set(letters.map { ($0.value(forKey: "sender") as? NSManagedObject)?.objectID }) == [ada.objectID])
    }

    /// [K] Pinned: a change that makes a stored object collide is taken back; the row is not.
    @Test("what leads one way to the object that goes leads to the survivor", arguments: [false, true])
    func oneWay(isUndoable: Bool) throws {
        let tag = ModelSketch.entity("Tag", [ModelSketch.attribute("name")])
        tag.uniquenessConstraints = [["name"]]
        let note = ModelSketch.entity("Note", [])
        for (name, maxCount) in [("label", 1), ("others", 0)] {
            let relationship = NSRelationshipDescription()
            (relationship.name, relationship.destinationEntity) = (name, tag)
            (relationship.maxCount, relationship.isOptional) = (maxCount, true)
            note.properties.append(relationship)
        }
        let context = try Library.inMemory(ModelSketch.model(tag, note)).context()
        let red = context.make("Tag", ["name": "red"])
        try context.save()
        if isUndoable { context.undoManager = UndoManager() }
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let other = context.make("Tag", ["name": "red"])
        _ = context.make("Note", ["label": other, "others": NSSet(object: other)])
        try context.save()
        context.refreshAllObjects()
        let stored = try #require(try context.all("Note").first)
        #expect(stored.value(forKey: "label") as? NSManagedObject === red)
        #expect(stored.value(forKey: "others") as? Set<NSManagedObject> == [red])
    }

    @Test("b.15 under store trump a stored object that collides keeps its other edits")
    func collidingChange() throws {
        _ = context.make("Person", ["email": "ada@a", "name": "Ada"])
        let bob = context.make("Person", ["email": "bob@b", "name": "Bob"])
        try context.save()
        bob.setValue("ada@a", forKey: "email")
        bob.setValue("Rob", forKey: "name")
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.save()
        #expect(try stored() == [["ada@a", "Ada", nil], ["bob@b", "Rob", nil]])
    }

    /// [K] Pinned: an object whose only change is taken back has nothing to save.
    @Test("b.15 under store trump an object whose only change collides is reported as refreshed, not as updated")
    func onlyCollidingChange() throws {
        _ = context.make("Person", ["email": "ada@a"])
        let bob = context.make("Person", ["email": "bob@b"])
        try context.save()
        bob.setValue("ada@a", forKey: "email")
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let saves = Recorder(.NSManagedObjectContextDidSave, context)
        try context.save()
        let userInfo = saves.notifications.first?.userInfo
        #expect(userInfo?[NSUpdatedObjectsKey] == nil)
        #expect(userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [bob])
        #expect(!bob.isUpdated && !context.hasChanges)
    }

    /// [K] Pinned: as above, with nothing of the object's changes left.
    @Test("b.15 under rollback a stored object that collides is as it was saved")
    func collidingChangeRolledBack() throws {
        _ = context.make("Person", ["email": "ada@a", "name": "Ada"])
        let bob = context.make("Person", ["email": "bob@b", "name": "Bob"])
        try context.save()
        bob.setValue("ada@a", forKey: "email")
        bob.setValue("Rob", forKey: "name")
        context.mergePolicy = NSMergePolicy.rollback
        try context.save()
        #expect(try stored() == [["ada@a", "Ada", nil], ["bob@b", "Bob", nil]])
        #expect(bob.text("name") == "Bob")
        #expect(!context.hasChanges)
    }

    /// [K] Pinned: a second row cannot stay beside the first, so it goes, and its values are kept in the first.
    @Test("b.15 under object trump a stored object that collides is merged into the other row")
    func collidingRows() throws {
        let ada = context.make("Person", ["email": "ada@a", "name": "Ada"])
        let bob = context.make("Person", ["email": "bob@b", "name": "Bob"])
        try context.save()
        bob.setValue("ada@a", forKey: "email")
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        try context.save()
        #expect(try stored() == [["ada@a", "Bob", nil]])
        #expect(did.notifications.first?.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [bob])
        #expect(did.notifications.first?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [ada])
    }

    /// [K] Pinned: a value that an object gives up in the same save is free for another.
    @Test("b.15 a value that changes hands within one save is no conflict")
    func handover() throws {
        let ada = context.make("Person", ["email": "ada@a", "name": "Ada"])
        try context.save()
        ada.setValue("ada@new", forKey: "email")
        _ = context.make("Person", ["email": "ada@a", "name": "Eve"])
        try context.save()
        #expect(try stored() == [["ada@a", "Eve", nil], ["ada@new", "Ada", nil]])
    }
}
