import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (b): what the five policies make of a lost race for an object.
@Suite("Conformance (b): merge policies")
struct MergePolicyConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let first: NSManagedObjectContext
    let second: NSManagedObjectContext
    let mine: NSManagedObject
    let theirs: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        first = coordinator.context()
        second = coordinator.context()
        mine = first.make("Author", ["name": "Ada", "age": 36])
        try first.save()
        theirs = try second.existingObject(with: mine.objectID)
        _ = theirs.value(forKey: "name")
    }

    /// What the object has under a policy after both sides changed its name, they its age, and we its height.
    struct Outcome: Sendable, CustomStringConvertible {
        let policy: NSMergePolicyType
        let name: String
        let age: Int
        let height: Int?

        var description: String { "\(policy)" }

        static let all = [
            Outcome(policy: .mergeByPropertyStoreTrumpMergePolicyType, name: "Theirs", age: 40, height: 2),
            Outcome(policy: .mergeByPropertyObjectTrumpMergePolicyType, name: "Mine", age: 40, height: 2),
            Outcome(policy: .overwriteMergePolicyType, name: "Mine", age: 36, height: 2),
            Outcome(policy: .rollbackMergePolicyType, name: "Theirs", age: 40, height: nil),
        ]
    }

    private func theyWin() throws {
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try second.save()
    }

    /// [H] A context starts with the error policy; the shared policies are the five types, numbered in this order.
    @Test("b.1 the default policy is the error policy, and the five types are numbered 0 to 4")
    func defaultPolicy() {
        #expect(first.mergePolicy as AnyObject === NSMergePolicy.error)
        let policies: [NSMergePolicy] = [
            .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]
        #expect(policies.map(\.mergeType.rawValue) == [0, 1, 2, 3, 4])
    }

    /// [H] The place is a value of the member. Pinned: a member that was moved is one that was changed.
    @Test(
        "b.2 overwrite pushes a member's place in the list of its owner too, object trump leaves it as it is stored",
        arguments: [
            (NSMergePolicyType.overwriteMergePolicyType, ["Notes", "New"]),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["New", "Notes"]),
        ])
    func place(_ policy: NSMergePolicyType, _ titles: [String]) throws {
        let notes = first.make("Book", ["title": "Notes", "author": mine])
        try first.save()
        second.refreshAllObjects()
        let list = [second.make("Book", ["title": "New"]), second.object(with: notes.objectID)]
        theirs.setValue(NSOrderedSet(array: list), forKey: "books")
        try second.save()
        notes.setValue(7, forKey: "pages")
        first.mergePolicy = NSMergePolicy(merge: policy)
        try first.save()
        let reader = coordinator.context()
        #expect(try reader.existingObject(with: mine.objectID).books.map { $0.text("title") } == titles)
    }

    /// Pinned: nobody here chose the reference that the store lost, and the newer one is kept.
    @Test("b.2 overwrite keeps where the store leads if what the object led to was deleted elsewhere")
    func deletedDestination() throws {
        let notes = first.make("Book", ["title": "Notes", "author": mine])
        try first.save()
        second.refreshAllObjects()
        let heir = second.make("Author", ["name": "Heir"])
        try #require(second.object(with: notes.objectID).value(forKey: "author") as? NSManagedObject === theirs)
        second.object(with: notes.objectID).setValue(heir, forKey: "author")
        second.delete(theirs)
        try second.save()
        notes.setValue(7, forKey: "pages")
        first.mergePolicy = NSMergePolicy.overwrite
        try first.save()
        let reader = coordinator.context()
        let author = try reader.existingObject(with: notes.objectID).value(forKey: "author") as? NSManagedObject
        #expect(author?.text("name") == "Heir")
        #expect(try reader.existingObject(with: notes.objectID).number("pages") == 7)
    }

    /// [H][FCD] Property by property with either side winning, the whole object, or nothing of it.
    @Test("b.2 each policy leaves its mixture of both sides in the object and in the store", arguments: Outcome.all)
    func outcome(_ expected: Outcome) throws {
        try theyWin()
        mine.setValue("Mine", forKey: "name")
        mine.setValue(2, forKey: "height")
        first.mergePolicy = NSMergePolicy(merge: expected.policy)
        try first.save()
        let reader = coordinator.context()
        let stored = try reader.existingObject(with: mine.objectID)
        for object in [mine, stored] {
            #expect(object.text("name") == expected.name)
            #expect(object.number("age") == expected.age)
            #expect(object.number("height") == expected.height)
        }
        #expect(!first.hasChanges)
        withExtendedLifetime(reader) {}
    }

    /// [H] The object is told that a policy gave it other values, and observers see it as refreshed.
    @Test("b.2 what a policy changes in an object is announced")
    func announced() throws {
        try theyWin()
        mine.setValue("Mine", forKey: "name")
        first.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, first)
        try first.save()
        let refreshed = change.notifications.compactMap { $0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> }
        #expect(refreshed == [[mine]])
    }

    /// [H] A deleted object is checked like a changed one.
    @Test("b.3 a deletion conflicts with a change that was saved meanwhile")
    func deletedIsChecked() throws {
        try theyWin()
        first.delete(mine)
        let error = #expect(throws: NSError.self) { try first.save() }
        #expect(error?.code == NSManagedObjectMergeError)
    }

    /// [H] What was only read does not conflict, unless that was asked for.
    @Test("b.3 an object that is not changed conflicts only after detectConflicts(for:)", arguments: [false, true])
    func detectConflicts(_ isAsked: Bool) throws {
        try theyWin()
        _ = first.make("Author", ["name": "New"])
        if isAsked { first.detectConflicts(for: mine) }
        let error: NSError?
        do {
            try first.save()
            error = nil
        } catch let caught as NSError { error = caught }
        #expect(error?.code == (isAsked ? NSManagedObjectMergeError : nil))
        let conflicts = error?.userInfo["conflictList"] as? [NSMergeConflict]
        #expect(conflicts?.map(\.sourceObject) == (isAsked ? [mine] : nil))
    }

    /// [H] The question holds for one save.
    @Test("b.3 after a save an unchanged object is no longer checked")
    func detectConflictsOnce() throws {
        first.detectConflicts(for: mine)
        _ = first.make("Author", ["name": "New"])
        try first.save()
        try theyWin()
        _ = first.make("Author", ["name": "Newer"])
        try first.save()
        #expect(!first.hasChanges)
    }

    /// [H] The question is a change of nothing.
    @Test("b.3 a save that changes nothing checks an object, until that is refreshed")
    func detectConflictsAlone() throws {
        first.detectConflicts(for: mine)
        try theyWin()
        let error = #expect(throws: NSError.self) { try first.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        first.refresh(mine, mergeChanges: true)
        try first.save()
    }

    /// [K] Pinned: a child has no store to ask; the question is its parent's from its save on.
    @Test("b.3 an object that a child asked to check is checked by the save of the root")
    func detectConflictsBelow() throws {
        let child = first.makeChild()
        child.detectConflicts(for: try child.existingObject(with: mine.objectID))
        try child.save()
        try theyWin()
        let error = #expect(throws: NSError.self) { try first.save() }
        #expect((error?.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [mine])
    }

    /// [K] Pinned: there is nothing of it to win or to lose.
    @Test(
        "b.3 an object that is only checked, and that they deleted, is gone under each policy but the error policy",
        arguments: [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func checkedIsDeleted(_ policy: NSMergePolicyType) throws {
        second.delete(theirs)
        try second.save()
        first.mergePolicy = NSMergePolicy(merge: policy)
        first.detectConflicts(for: mine)
        _ = first.make("Author", ["name": "New"])
        try first.save()
        #expect(mine.isDeleted)
        #expect(try coordinator.context().strings("Author", "name") == ["New"])
    }

    /// [H][I] The save fails as a whole, and can be repeated.
    @Test("b.8 under the error policy a lost race fails the save with 133020, and nothing is written")
    func errorCode() throws {
        try theyWin()
        mine.setValue("Mine", forKey: "name")
        let new = first.make("Author", ["name": "New"])
        let error = #expect(throws: NSError.self) { try first.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect((error?.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [mine])
        #expect(try coordinator.context().strings("Author", "name") == ["Theirs"])
        #expect(first.updatedObjects == [mine])
        #expect(first.insertedObjects == [new])
        #expect(new.objectID.isTemporaryID)
    }

    /// [FCD] Saves of different objects do not meet.
    @Test("b.10 no conflict where the contexts changed different objects")
    func differentObjects() throws {
        _ = second.make("Author", ["name": "Bob"])
        try second.save()
        mine.setValue("Mine", forKey: "name")
        try first.save()
        #expect(try coordinator.context().strings("Author", "name") == ["Mine", "Bob"])
    }

    /// [K] Pinned: the store's side winning means that the object is gone.
    @Test(
        "b.11 where they deleted what was changed here, it stays deleted under store trump and rollback",
        arguments: [NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType])
    func deletionStays(_ policy: NSMergePolicyType) throws {
        second.delete(theirs)
        try second.save()
        mine.setValue("Mine", forKey: "name")
        first.mergePolicy = NSMergePolicy(merge: policy)
        let did = Recorder(.NSManagedObjectContextDidSave, first)
        try first.save()
        #expect(mine.isDeleted)
        #expect(!first.hasChanges)
        #expect(did.notifications.first?.userInfo?[NSUpdatedObjectsKey] == nil)
        #expect(try coordinator.context().all("Author").isEmpty)
    }

    /// [K] Pinned: this side winning means that the object is written again, whole, under the ID it always had.
    @Test(
        "b.11 where they deleted what was changed here, it comes back under object trump and overwrite",
        arguments: [NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType])
    func deletionIsOverruled(_ policy: NSMergePolicyType) throws {
        second.delete(theirs)
        try second.save()
        mine.setValue("Mine", forKey: "name")
        first.mergePolicy = NSMergePolicy(merge: policy)
        let did = Recorder(.NSManagedObjectContextDidSave, first)
        try first.save()
        #expect(did.notifications.first?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [mine])
        let reader = coordinator.context()
        let stored = try reader.existingObject(with: mine.objectID)
        #expect(stored.text("name") == "Mine")
        #expect(stored.number("age") == 36)
        withExtendedLifetime(reader) {}
    }

    /// [K] Pinned: a deletion here against a change there.
    @Test(
        "b.12 a deletion here is dropped under store trump and rollback, and done under the others",
        arguments: Outcome.all)
    func deletionHere(_ outcome: Outcome) throws {
        try theyWin()
        first.delete(mine)
        first.mergePolicy = NSMergePolicy(merge: outcome.policy)
        try first.save()
        let storeWins = outcome.name == "Theirs"
        #expect(try coordinator.context().strings("Author", "name") == (storeWins ? ["Theirs"] : []))
        #expect(mine.managedObjectContext === (storeWins ? first : nil))
        #expect(!storeWins || mine.text("name") == "Theirs")
        #expect(!first.hasChanges)
    }

    /// [K] Pinned: a policy decides object by object. What a cascade deleted is one of these; what it came from, which
    /// nobody else changed, is none.
    @Test(
        "b.13 what a cascade deleted here and others changed stays without its owner under store trump and rollback",
        arguments: Outcome.all)
    func cascadedDeletion(_ outcome: Outcome) throws {
        let book = first.make("Book", ["title": "Notes"])
        book.setValue(mine, forKey: "author")
        try first.save()
        try second.existingObject(with: book.objectID).setValue("Theirs", forKey: "title")
        try second.save()
        first.delete(mine)
        first.mergePolicy = NSMergePolicy(merge: outcome.policy)
        try first.save()
        let storeWins = outcome.name == "Theirs"
        let reader = coordinator.context()
        let books = try reader.all("Book")
        #expect(books.map { $0.text("title") } == (storeWins ? ["Theirs"] : []))
        #expect(books.allSatisfy { $0.value(forKey: "author") == nil })
        #expect(try reader.all("Author").isEmpty)
        #expect(!first.hasChanges)
    }

    /// [K] Pinned: nor is it deleted with an owner that it had left here, when that change is dropped.
    @Test("b.13 what had left its owner here is not deleted with it when rollback drops that")
    func droppedDeparture() throws {
        let book = first.make("Book", ["title": "Notes"])
        book.setValue(mine, forKey: "author")
        try first.save()
        try second.existingObject(with: book.objectID).setValue("Theirs", forKey: "title")
        try second.save()
        book.setValue(nil, forKey: "author")
        first.delete(mine)
        first.mergePolicy = NSMergePolicy.rollback
        try first.save()
        let reader = coordinator.context()
        #expect(try reader.all("Book").map { $0.value(forKey: "author") == nil } == [true])
        #expect(try reader.all("Author").isEmpty)
    }

    /// [K] Pinned: the owner has its member again.
    @Test("b.12 an owner has the member again whose deletion here was dropped")
    func keptMember() throws {
        let book = first.make("Book", ["title": "Notes"])
        book.setValue(mine, forKey: "author")
        try first.save()
        try second.existingObject(with: book.objectID).setValue("Theirs", forKey: "title")
        try second.save()
        first.delete(book)
        first.processPendingChanges()
        #expect(mine.books.isEmpty)
        first.mergePolicy = NSMergePolicy.rollback
        try first.save()
        #expect(mine.books == [book])
    }

    /// [K] Pinned: two deletions of the same object agree.
    @Test("b.12 what both deleted is no conflict, and is written once")
    func bothDeleted() throws {
        second.delete(theirs)
        try second.save()
        let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
        first.delete(mine)
        try first.save()
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == before)
        #expect(!first.hasChanges)
    }
}
