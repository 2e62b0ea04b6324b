import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (b): objects that the context to which a save goes no longer has.
@Suite("Conformance (b): conflicts over objects that are gone above")
struct DroppedObjectConformanceTests {
    private static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    let coordinator: NSPersistentStoreCoordinator
    let first: NSManagedObjectContext
    let mine: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        first = coordinator.context()
        mine = first.make("Author", ["name": "Ada", "age": 36])
        try first.save()
    }

    /// [AD] Pinned for a parent: the save fails if the object was changed in what the context saves to.
    @Test(
        "b.3 an object that a child asked to check, and that its parent deleted, is in conflict",
        arguments: [false, true])
    func checkedIsDeletedAbove(_ isSaved: Bool) throws {
        let child = first.makeChild()
        let below = try child.existingObject(with: mine.objectID)
        child.detectConflicts(for: below)
        let new = child.make("Author", ["name": "New"])
        first.delete(mine)
        if isSaved { try first.save() }
        let error = #expect(throws: NSError.self) { try child.save() }
        #expect((error?.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [below])
        #expect(child.insertedObjects == [new])
        child.mergePolicy = NSMergePolicy.rollback
        try child.save()
        try first.save()
        #expect(below.isDeleted)
        #expect(try coordinator.context().strings("Author", "name") == ["New"])
    }

    /// [K] Pinned: neither the parent nor a store has it, so a default save must not lose it without a word.
    @Test(
        "b.3 a change of an object that was new in the parent, and was dropped there, is in conflict",
        arguments: Self.policies, [0, 1, 2])
    func changedIsDropped(_ policy: NSMergePolicyType, _ way: Int) throws {
        let child = first.makeChild()
        let book = first.make("Book", ["title": "Notes"])
        book.setValue(mine, forKey: "author")
        if way == 2 { first.undoManager = FirnFoundation.UndoManager() }
        first.processPendingChanges()
        let below = try child.existingObject(with: book.objectID)
        if way == 0 { first.rollback() } else { first.delete(book) }
        first.processPendingChanges()
        below.setValue(7, forKey: "pages")
        child.mergePolicy = NSMergePolicy(merge: policy)
        if policy == .errorMergePolicyType {
            let error = #expect(throws: NSError.self) { try child.save() }
            #expect((error?.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [below])
            #expect(child.updatedObjects == [below])
            return
        }
        try child.save()
        try first.save()
        let isWritten = policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
        #expect(below.isDeleted != isWritten)
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        let stored = try reader.all("Book")
        #expect(stored.map { $0.number("pages") } == (isWritten ? [7] : []))
        #expect(stored.map { $0.text("title") } == (isWritten ? ["Notes"] : []))
        let authors = stored.map { ($0.value(forKey: "author") as? NSManagedObject)?.objectID }
        #expect(authors == (isWritten ? [mine.objectID] : []))
    }

    /// [K] Pinned: a default save must not lose the change without a word.
    @Test(
        "b.3 a change of a stored object that is deleted above is in conflict", arguments: Self.policies, [0, 1, 2])
    func changedIsDeleted(_ policy: NSMergePolicyType, _ way: Int) throws {
        let tag = first.make("Tag", ["label": "x"])
        first.make("Book", ["title": "Notes"]).setValue(NSSet(object: tag), forKey: "tags")
        try first.save()
        let child = first.makeChild()
        let below = try child.existingObject(with: tag.objectID)
        #expect((below.value(forKey: "books") as? NSSet)?.count == 1)
        if way < 2 {
            first.delete(tag)
            if way == 1 { try first.save() } else { first.processPendingChanges() }
        } else {
            let other = coordinator.context()
            other.delete(try other.existingObject(with: tag.objectID))
            try other.save()
            first.refreshAllObjects()
        }
        below.setValue("y", forKey: "label")
        child.mergePolicy = NSMergePolicy(merge: policy)
        if policy == .errorMergePolicyType {
            let error = #expect(throws: NSError.self) { try child.save() }
            #expect((error?.userInfo["conflictList"] as? [NSMergeConflict])?.map(\.sourceObject) == [below])
            #expect(child.updatedObjects == [below])
            return
        }
        try child.save()
        let isWritten = policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
        #expect(try first.strings("Tag", "label") == (isWritten ? ["y"] : []))
        try first.save()
        #expect(below.isDeleted != isWritten)
        #expect(below.text("label") == (isWritten ? "y" : "x"))
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        let stored = try reader.all("Tag", sortedBy: nil)
        #expect(stored.map { $0.text("label") } == (isWritten ? ["y"] : []))
        #expect(stored.map(\.objectID) == (isWritten ? [below.objectID] : []))
        #expect(try reader.all("Book").map { ($0.value(forKey: "tags") as? NSSet)?.count } == [isWritten ? 1 : 0])
    }
}
