import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A relationship's mutable set is the relationship")
struct MutableMembersConformanceTests {
    @Test("d.22 what is added to it and taken from it is a change of both sides, and is saved")
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

    @Test("d.22 unions and removals of all go through it")
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

    @Test("d.22 a key path leads to those of this object and of related ones")
    func keyPath() throws {
        let context = try Library.inMemory().context()
        let (author, book, tag) = (context.make("Author"), context.make("Book"), context.make("Tag"))
        book.mutableSetValue(forKeyPath: "tags").add(tag)
        #expect(book.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
        author.mutableOrderedSetValue(forKeyPath: "books").add(book)
        #expect(author.books == [book])
        let other = context.make("Book")
        book.mutableOrderedSetValue(forKeyPath: "author.books").insert(other, at: 0)
        #expect(author.books == [other, book])
    }
}

@Suite("A relationship's mutable ordered set is the relationship")
struct MutableOrderedMembersConformanceTests {
    let context: NSManagedObjectContext
    let author: NSManagedObject
    let books: [NSManagedObject]
    let list: NSMutableOrderedSet

    init() throws {
        let context = try Library.inMemory().context()
        self.context = context
        author = context.make("Author", ["name": "Ada"])
        books = ["a", "b", "c", "d"].map { context.make("Book", ["title": $0]) }
        list = author.mutableOrderedSetValue(forKey: "books")
    }

    private func titles(_ objects: [Any]) -> String {
        objects.compactMap { ($0 as? NSManagedObject)?.text("title") }.joined()
    }

    private var shown: String { titles(author.books) }

    @Test("d.22 what is inserted, moved and taken away is a change of both sides, and is saved in its order")
    func changes() throws {
        list.add(books[0])
        list.insert(books[1], at: 0)
        #expect(shown == "ba")
        #expect(books[1].value(forKey: "author") as? NSManagedObject === author)
        try context.save()
        #expect(!author.hasChanges)
        list.exchangeObject(at: 0, withObjectAt: 1)
        list.add(books[2])
        list.remove(books[0])
        #expect(author.changedValues().keys.sorted() == ["books"])
        #expect(books[0].value(forKey: "author") == nil)
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(titles(try reader.existingObject(with: author.objectID).books) == "bc")
    }

    /// A way to change an ordered set, and what that makes of the list a b c.
    struct Edit: Sendable, CustomStringConvertible {
        let description: String
        let result: String
        typealias Body = @Sendable (NSMutableOrderedSet, [NSManagedObject]) -> Void
        let run: Body

        init(_ name: String, _ result: String, _ run: @escaping Body) {
            (description, self.result, self.run) = (name, result, run)
        }

        static let all: [Edit] = [
            Edit("addObjects", "abcd") { list, books in list.addObjects(from: [books[0], books[3]]) },
            Edit("setObject", "adc") { list, books in list.setObject(books[3], at: 1) },
            Edit("replaceObject", "adc") { list, books in list.replaceObject(at: 1, with: books[3]) },
            Edit("moveObjects", "bca") { list, _ in list.moveObjects(at: [0], to: 2) },
            Edit("insert at indexes", "dabc") { list, books in list.insert([books[3]], at: [0]) },
            Edit("removeObject", "ac") { list, _ in list.removeObject(at: 1) },
            Edit("removeObjects at indexes", "b") { list, _ in list.removeObjects(at: [0, 2]) },
            Edit("removeObjects in range", "c") { list, _ in list.removeObjects(in: NSRange(location: 0, length: 2)) },
            Edit("removeObjects", "b") { list, books in list.removeObjects(in: [books[0], books[2]]) },
            Edit("removeAllObjects", "") { list, _ in list.removeAllObjects() },
            Edit("union", "abcd") { list, books in list.union(NSOrderedSet(array: [books[1], books[3]])) },
            Edit("minus", "bc") { list, books in list.minus(NSOrderedSet(array: [books[0], books[3]])) },
            Edit("intersect", "a") { list, books in list.intersect(NSOrderedSet(array: [books[0], books[3]])) },
            Edit("sort", "cba") { list, _ in list.sort(comparator: descending) },
        ]

        private static func descending(_ left: Any, _ right: Any) -> ComparisonResult {
            let titles = [left, right].compactMap { ($0 as? NSManagedObject)?.text("title") }
            return titles[0] < titles[1] ? .orderedDescending : .orderedAscending
        }
    }

    @Test("d.22 every way to change it changes the relationship", arguments: Edit.all)
    func everyEdit(_ edit: Edit) {
        list.addObjects(from: Array(books.prefix(3)))
        edit.run(list, books)
        #expect(shown == edit.result)
        #expect(titles(list.array) == edit.result)
        for book in books {
            let isMember = edit.result.contains(book.text("title") ?? "")
            #expect((book.value(forKey: "author") != nil) == isMember)
        }
    }

    @Test("d.22 it shows what is changed beside it, and is equal to what it shows")
    func reading() {
        author.setValue(NSOrderedSet(array: [books[2], books[0]]), forKey: "books")
        #expect(list.count == 2)
        #expect(list.object(at: 0) as? NSManagedObject === books[2])
        #expect(list.index(of: books[0]) == 1)
        #expect(list.contains(books[2]) && !list.contains(books[1]))
        #expect(titles(list.array) == "ca")
        #expect(list.isEqual(to: NSOrderedSet(array: [books[2], books[0]])))
        books[2].setValue(nil, forKey: "author")
        #expect(titles((list.copy() as? NSOrderedSet)?.array ?? []) == "a")
    }

    @Test("d.22 of an unordered relationship it stops the program, and so does the set of an ordered one")
    func wrongKind() async {
        await #expect(processExitsWith: .failure) {
            _ = try Library.inMemory().context().make("Book").mutableOrderedSetValue(forKey: "tags")
        }
        await #expect(processExitsWith: .failure) {
            _ = try Library.inMemory().context().make("Author").mutableSetValue(forKey: "books")
        }
    }
}
