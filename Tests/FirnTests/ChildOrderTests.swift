import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Orders on their way to the store")
struct ChildOrderTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let parent: NSManagedObjectContext
    private let author: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        parent = coordinator.context()
        author = parent.make("Author", ["name": "Ada"])
        author.setValue(
            NSOrderedSet(array: ["a", "b", "c"].map { parent.make("Book", ["title": $0]) }), forKey: "books")
        try parent.save()
    }

    private func titles(_ author: NSManagedObject) -> [String] { author.books.compactMap { $0.text("title") } }

    private func stored() throws -> [String] {
        let reader = coordinator.context()
        return titles(try reader.existingObject(with: author.objectID))
    }

    @Test("the order that a child set is saved after a refresh or a merge of its owner", arguments: [false, true])
    func refreshed(_ merges: Bool) throws {
        let child = parent.makeChild()
        let mine = try child.existingObject(with: author.objectID)
        mine.setValue(NSOrderedSet(array: mine.books.reversed()), forKey: "books")
        if merges {
            author.setValue("Eve", forKey: "name")
            child.mergeChanges(fromContextDidSave: try #require(try parent.saveNotification()))
        } else {
            child.refresh(mine, mergeChanges: true)
        }
        // Not read in between.
        try child.save()
        try parent.save()
        #expect(try stored() == ["c", "b", "a"])
        #expect(titles(mine) == ["c", "b", "a"])
    }

    @Test("what a store did not save of an order is saved by the next save")
    func partialSave() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let (eve, zoe) = (parent.make("Author", ["name": "Eve"]), parent.make("Author", ["name": "Zoe"]))
        let books = ["x", "y", "z"].map { parent.make("Book", ["title": $0]) }
        for object in [eve, zoe] + books { parent.assign(object, to: second) }
        eve.setValue(NSOrderedSet(array: books), forKey: "books")
        try parent.save()

        let context = coordinator.context()
        let theirs = try context.existingObject(with: zoe.objectID)
        // Deleted before the list is read.
        context.delete(try context.existingObject(with: books[2].objectID))
        context.processPendingChanges()
        let mine = try context.existingObject(with: eve.objectID)
        #expect(titles(mine) == ["x", "y"])
        mine.setValue(NSOrderedSet(array: mine.books.reversed()), forKey: "books")
        _ = context.make("Author", ["name": "Dan"])
        zoe.setValue("Zoë", forKey: "name")
        try parent.save()
        theirs.setValue("Zo", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSPersistentStoreIncompleteSaveError)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        let reader = coordinator.context()
        #expect(titles(try reader.existingObject(with: eve.objectID)) == ["y", "x"])
    }
}
