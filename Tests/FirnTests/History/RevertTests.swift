import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("Reverting a transaction")
struct RevertTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    let ada: NSManagedObject
    let book: NSManagedObject
    let tag: NSManagedObject

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        ada = context.make("Author", ["name": "Ada", "age": 36])
        book = context.make("Book", ["title": "Notes", "author": ada])
        tag = context.make("Tag", ["label": "math"])
        book.setValue([tag] as Set<NSManagedObject>, forKey: "tags")
        try context.save()
    }

    private func last(_ context: NSManagedObjectContext? = nil) throws -> NSPersistentHistoryTransaction {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try (context ?? self.context).execute(request) as? NSPersistentHistoryResult
        let all = result?.result as? [NSPersistentHistoryTransaction]
        return try #require(all?.last)
    }

    /// Saves, reverts that save and saves again.
    private func revertSave() throws {
        try context.save()
        try context.revert(last())
        try context.save()
    }

    @Test("of updates gives the old values back, relationships too")
    func updates() throws {
        let other = context.make("Author", ["name": "Bob"])
        try context.save()
        ada.setValue("Eve", forKey: "name")
        ada.setValue(nil, forKey: "age")
        ada.setValue(1.7, forKey: "height")
        book.setValue(other, forKey: "author")
        book.setValue([] as Set<NSManagedObject>, forKey: "tags")
        try revertSave()
        #expect(ada.value(forKey: "name") as? String == "Ada")
        #expect(ada.value(forKey: "age") as? Int == 36)
        #expect(ada.value(forKey: "height") == nil)
        #expect(book.value(forKey: "author") as? NSManagedObject === ada)
        #expect(book.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        #expect(try coordinator.context().strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("of inserts deletes, of deletes inserts anew with values and relationships")
    func insertsAndDeletes() throws {
        _ = context.make("Author", ["name": "Bob"])
        context.delete(ada)
        try revertSave()
        let reader = coordinator.context()
        let again = try #require(try reader.all("Author").first)
        #expect(try reader.strings("Author", "name") == ["Ada"])
        #expect(again.value(forKey: "age") as? Int == 36)
        #expect(again.objectID.uriRepresentation() != ada.objectID.uriRepresentation())
        let books = try #require(again.value(forKey: "books") as? NSOrderedSet)
        #expect(books.count == 1)
        #expect(((books.firstObject as? NSManagedObject)?.value(forKey: "tags") as? NSSet)?.count == 1)
    }

    @Test("reports what was changed since, and changes nothing")
    func conflicts() throws {
        ada.setValue("Eve", forKey: "name")
        book.setValue("Draft", forKey: "title")
        let third = context.make("Author", ["name": "Cid"])
        try context.save()
        let transaction = try last()
        ada.setValue("Ida", forKey: "name")
        context.delete(third)
        try context.save()
        let error = #expect(throws: HistoryConflicts.self) { try context.revert(transaction) }
        #expect(
            Set(error?.conflicts ?? []) == [
                HistoryConflict(objectID: ada.objectID, reason: .changed(property: "name")),
                HistoryConflict(objectID: third.objectID, reason: .deleted),
            ])
        #expect(!context.hasChanges)
        #expect(book.value(forKey: "title") as? String == "Draft")
    }

    @Test("reports what its old values led to and is gone, and changes nothing")
    func gone() throws {
        let other = context.make("Author", ["name": "Bob"])
        book.setValue(other, forKey: "author")
        book.setValue([] as Set<NSManagedObject>, forKey: "tags")
        try context.save()
        let transaction = try last()
        context.delete(ada)
        context.delete(tag)
        try context.save()
        let error = #expect(throws: HistoryConflicts.self) { try context.revert(transaction) }
        #expect(
            Set(error?.conflicts ?? []) == [
                HistoryConflict(objectID: ada.objectID, reason: .deleted),
                HistoryConflict(objectID: tag.objectID, reason: .deleted),
            ])
        #expect(!context.hasChanges)
    }

    @Test("reports that what a relationship without an inverse led to is gone")
    func goneWithoutInverse() throws {
        let model = try ModelText.model(
            """
            Author: motto -> Tag, themes ->> Tag
            Tag: label String
            """)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = coordinator.context()
        let (first, second, theme) = (context.make("Tag"), context.make("Tag"), context.make("Tag"))
        let author = context.make("Author", ["motto": first, "themes": [theme] as Set])
        try context.save()
        author.setValue(second, forKey: "motto")
        author.setValue([] as Set<NSManagedObject>, forKey: "themes")
        try context.save()
        let transaction = try last(context)
        context.delete(first)
        context.delete(theme)
        try context.save()
        let error = #expect(throws: HistoryConflicts.self) { try context.revert(transaction) }
        #expect(
            Set(error?.conflicts ?? []) == [
                HistoryConflict(objectID: first.objectID, reason: .deleted),
                HistoryConflict(objectID: theme.objectID, reason: .deleted),
            ])
        #expect(!context.hasChanges)
    }

    /// Lets somebody else save between the looks at two objects.
    private final class Interrupted: NSManagedObjectContext, @unchecked Sendable {
        var looked: [NSManagedObjectID] = []
        var interruption: (NSManagedObjectID) throws -> Void = { _ in }

        override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
            if let first = looked.first, looked.count == 1 { try interruption(first) }
            looked.append(objectID)
            return try super.existingObject(with: objectID)
        }
    }

    @Test("and a save of what it found unchanged is a conflict when it saves")
    func savedBetween() throws {
        ada.setValue("Eve", forKey: "name")
        book.setValue("Draft", forKey: "title")
        try context.save()
        let reverting = Interrupted(concurrencyType: .privateQueueConcurrencyType)
        reverting.persistentStoreCoordinator = coordinator
        reverting.interruption = { id in
            let object = context.object(with: id)
            object.setValue("Later", forKey: object === ada ? "name" : "title")
            try context.save()
        }
        let transaction = try last()
        let error = try #require(
            try reverting.performAndWait {
                try reverting.revert(transaction)
                return #expect(throws: CocoaError.self) { try reverting.save() }
            })
        #expect(error.code == .managedObjectMerge)
        #expect(reverting.looked.count == 2)
        let reader = coordinator.context()
        #expect(try reader.strings("Author", "name").union(reader.strings("Book", "title")).contains("Later"))
    }

    @Test("of an insert reports what later transactions put under the object, and deletes nothing of theirs")
    func laterMembers() throws {
        let bob = context.make("Author", ["name": "Bob"])
        try context.save()
        let transaction = try last()
        let diary = context.make("Book", ["title": "Diary", "author": bob])
        try context.save()
        // Author.books cascades: now the diary, of a later save, is deleted without a word.
        #expect(throws: HistoryConflicts.self) { try context.revert(transaction) }
        #expect(!diary.isDeleted && !context.hasChanges)
    }
}
