import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Many to many relationships that were changed from one side, while the members at the other side were not read.
@Suite("Members that were changed before they were read")
struct UnreadMembersTests {
    let root: NSManagedObjectContext
    let other: NSManagedObjectContext
    let book: NSManagedObject
    let tag: NSManagedObject

    init() throws {
        let coordinator = try Library.inMemory()
        root = coordinator.context()
        other = coordinator.context()
        book = root.make("Book", ["title": "Notes"])
        tag = root.make("Tag", ["label": "old"])
        try root.save()
        root.refreshAllObjects()
    }

    private func setTagged(_ isTagged: Bool, in context: NSManagedObjectContext) throws {
        let book = try context.existingObject(with: book.objectID)
        let tag = try context.existingObject(with: tag.objectID)
        let tags = book.mutableSetValue(forKey: "tags")
        if isTagged { tags.add(tag) } else { tags.remove(tag) }
    }

    private func saveTagged(_ isTagged: Bool, in context: NSManagedObjectContext) throws {
        context.refreshAllObjects()
        try setTagged(isTagged, in: context)
        try context.save()
    }

    private func members(_ object: NSManagedObject, _ key: String) -> Set<NSManagedObject>? {
        object.value(forKey: key) as? Set<NSManagedObject>
    }

    @Test("a member that was added and removed again is there if another save adds it")
    func addedAndRemoved() throws {
        try setTagged(true, in: root)
        try setTagged(false, in: root)
        try saveTagged(true, in: other)
        root.refreshAllObjects()
        #expect(members(tag, "books") == [book])
        #expect(members(book, "tags") == [tag])
    }

    @Test("a member that was removed and added again is gone if another save removes it")
    func removedAndAdded() throws {
        try saveTagged(true, in: root)
        root.refreshAllObjects()
        try setTagged(false, in: root)
        try setTagged(true, in: root)
        try saveTagged(false, in: other)
        root.refreshAllObjects()
        #expect(members(tag, "books") == [])
        #expect(members(book, "tags") == [])
    }

    @Test("once one side has found an addition stored, a later removal by another save ends it at both")
    func foundStored() throws {
        try setTagged(true, in: root)
        try saveTagged(true, in: other)
        root.refreshAllObjects()
        #expect(members(book, "tags") == [tag])
        try saveTagged(false, in: other)
        root.refreshAllObjects()
        #expect(members(book, "tags") == [])
        #expect(members(tag, "books") == [])
    }

    @Test("a member that leaves an ordered relationship and returns comes last, read or not", arguments: [false, true])
    func returned(_ isRead: Bool) throws {
        let author = root.make("Author")
        let books = ["a", "b", "c"].map { root.make("Book", ["title": $0, "author": author]) }
        try root.save()
        let mine = try other.existingObject(with: author.objectID)
        if isRead { _ = mine.books }
        let first = try other.existingObject(with: books[0].objectID)
        first.setValue(nil, forKey: "author")
        _ = other.make("Book", ["title": "d", "author": mine])
        first.setValue(mine, forKey: "author")
        try other.save()
        #expect(mine.books.compactMap { $0.text("title") } == ["b", "c", "d", "a"])
        root.refreshAllObjects()
        #expect(author.books.compactMap { $0.text("title") } == ["b", "c", "d", "a"])
    }

    @Test("a member that a child removes, of those its parent has added, is there if another save adds it")
    func removedByChild() throws {
        let worker = root.makeChild()
        try setTagged(true, in: root)
        try setTagged(false, in: worker)
        try worker.save()
        try saveTagged(true, in: other)
        root.refreshAllObjects()
        #expect(members(tag, "books") == [book])
        #expect(members(book, "tags") == [tag])
    }
}
