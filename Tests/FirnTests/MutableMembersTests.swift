import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("A relationship's mutable set is the relationship")
struct MutableMembersTests {
    @Test("what is added to it and taken from it is a change of both sides, and is saved")
    func changes() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let book = context.make("Book", ["title": "Notes"])
        let (old, new) = (context.make("Tag", ["label": "old"]), context.make("Tag", ["label": "new"]))
        let tags = book.mutableSetValue(forKey: "tags")
        tags.add(old)
        try context.save()
        tags.add(new)
        tags.remove(old)
        #expect(tags.count == 1)
        #expect(tags.contains(new))
        #expect(tags.allObjects as? [NSManagedObject] == [new])
        #expect(new.value(forKey: "books") as? Set<NSManagedObject> == [book])
        #expect(old.value(forKey: "books") as? Set<NSManagedObject> == [])
        #expect(book.changedValues().keys.sorted() == ["tags"])
        try context.save()
        let reader = coordinator.context()
        let again = try #require(try reader.all("Book").first)
        #expect((again.value(forKey: "tags") as? NSSet)?.count == 1)
        withExtendedLifetime(reader) {}
    }

    @Test("unions and removals of all go through it")
    func bulk() throws {
        let context = try Library.inMemory().context()
        let book = context.make("Book")
        let tags = book.mutableSetValue(forKey: "tags")
        let made = (0..<3).map { _ in context.make("Tag") }
        tags.addObjects(from: made)
        tags.union([context.make("Tag")])
        #expect(tags.count == 4)
        tags.minus([made[0]])
        #expect(!tags.contains(made[0]))
        tags.removeAllObjects()
        #expect((book.value(forKey: "tags") as? NSSet)?.count == 0)
    }
}
