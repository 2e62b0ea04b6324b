import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What random programs found, each as a program of its own.
@Suite("Changes made here and elsewhere")
struct MergedChangesTests {
    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
    }

    /// Runs `body` with an author "a" who has the books "1" and "2", in two contexts of which neither has changes.
    private func twoContexts(
        _ body: (_ here: NSManagedObjectContext, _ there: NSManagedObjectContext) throws -> Void
    ) throws {
        let (here, there) = (coordinator.context(), coordinator.context())
        try here.performAndWait {
            let author = here.make("Author", ["name": "a"])
            for title in ["1", "2"] { here.make("Book", ["title": title]).setValue(author, forKey: "author") }
            _ = here.make("Author", ["name": "b"])
            try here.save()
        }
        try body(here, there)
    }

    private func author(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Author").first { $0.value(forKey: "name") as? String == name })
    }

    private func book(_ title: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Book").first { $0.value(forKey: "title") as? String == title })
    }

    private func titles(_ author: NSManagedObject) -> [String] {
        ((author.value(forKey: "books") as? NSOrderedSet)?.array ?? [])
            .compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
    }

    @Test("a merged deletion leaves no list with the deleted object, be that read or not", arguments: [false, true])
    func listsOfDeleted(_ isRead: Bool) throws {
        try twoContexts { here, there in
            let (gone, left, tag) = (try book("1", there), try book("2", there), there.make("Tag", ["label": "x"]))
            left.setValue(NSSet(array: [tag]), forKey: "tags")
            try there.save()
            let mine = try author("a", here)
            let tagged = try here.existingObject(with: left.objectID)
            let tags = tagged.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            #expect(mine.books.count == 2)
            #expect(tags.count == 1)
            if isRead { for object in mine.books + tags { _ = try here.existingObject(with: object.objectID) } }
            let ids = [gone.objectID, tag.objectID]
            for object in [gone, tag] { there.delete(object) }
            try there.save()
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [here])
            #expect(titles(mine) == ["2"])
            #expect(tagged.value(forKey: "tags") as? Set<NSManagedObject> == [])
            #expect(!here.hasChanges)
        }
    }

    /// Saves `there` and merges that into `here`.
    private func save(_ there: NSManagedObjectContext, into here: NSManagedObjectContext) throws {
        let recorder = NotificationRecorder(.NSManagedObjectContextDidSave, there)
        try there.performAndWait { try there.save() }
        let notification = try #require(recorder.last)
        here.performAndWait { here.mergeChanges(fromContextDidSave: notification) }
    }

    private final class NotificationRecorder: @unchecked Sendable {
        private(set) var last: Notification?
        private var token: (any NSObjectProtocol)?

        init(_ name: Notification.Name, _ object: Any) {
            token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                [weak self] in self?.last = $0
            }
        }

        deinit { token.map(NotificationCenter.default.removeObserver) }
    }

    @Test("a book that was moved here is not among the books of the author to whom another save moved it")
    func movedTwice() throws {
        try twoContexts { here, there in
            let (a, b) = try here.performAndWait { (try author("a", here), try author("b", here)) }
            let other = try here.performAndWait {
                let other = here.make("Author", ["name": "c"])
                try book("1", here).setValue(other, forKey: "author")
                _ = (titles(a), titles(b))
                return other
            }
            try there.performAndWait { try book("1", there).setValue(try author("b", there), forKey: "author") }
            try save(there, into: here)
            #expect(here.performAndWait { titles(b) } == [])
            #expect(here.performAndWait { titles(other) } == ["1"])
        }
    }

    @Test("what was related here to an object that another save deleted is related to it no more")
    func relatedToDeleted() throws {
        try twoContexts { here, there in
            let moved = try here.performAndWait {
                let book = try book("1", here)
                book.setValue(try author("b", here), forKey: "author")
                return book
            }
            try there.performAndWait { there.delete(try author("b", there)) }
            try save(there, into: here)
            try here.performAndWait {
                #expect((moved.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "a")
                let first = try author("a", here)
                #expect(Set(titles(first)) == ["1", "2"])
            }
        }
    }

    @Test("a deletion reaches what another save related to the object meanwhile")
    func deletionFollows() throws {
        try twoContexts { here, there in
            try here.performAndWait {
                here.delete(try author("b", here))
                here.processPendingChanges()
            }
            try there.performAndWait { try book("1", there).setValue(try author("b", there), forKey: "author") }
            try save(there, into: here)
            try here.performAndWait { try here.save() }
            #expect(try coordinator.context().strings("Book", "title") == ["2"])
        }
    }

    @Test("a deletion that is undone brings no changes along that another save made and nobody merged")
    func undoneDeletion() throws {
        try twoContexts { here, there in
            let manager = UndoManager()
            manager.groupsByEvent = false
            func step(_ body: () throws -> Void) rethrows {
                manager.beginUndoGrouping()
                try body()
                here.processPendingChanges()
                manager.endUndoGrouping()
            }
            let (tag, loose) = try here.performAndWait {
                let made = (here.make("Tag"), here.make("Book", ["title": "3"]))
                try here.save()
                here.undoManager = manager
                try step { made.1.setValue(try author("b", here), forKey: "author") }
                return made
            }
            try there.performAndWait {
                try book("3", there).setValue(try author("a", there), forKey: "author")
                try there.save()
            }
            let a = try here.performAndWait {
                here.refreshAllObjects()
                let a = try author("a", here)
                #expect(titles(a) == ["1", "2"])
                step { here.delete(tag) }
                return a
            }
            try there.performAndWait {
                try book("2", there).setValue(try author("b", there), forKey: "author")
                try there.save()
            }
            here.performAndWait {
                here.undo()
                #expect(titles(a) == ["1", "2"])
                #expect(loose.value(forKey: "author") as? NSManagedObject !== a)
            }
        }
    }

    @Test("a rollback brings back no member that was moved here and deleted by a save that did not name its owner")
    func rolledBackMember() throws {
        try twoContexts { here, there in
            let loose = try here.performAndWait {
                let loose = here.make("Book", ["title": "3"])
                try here.save()
                return loose
            }
            try there.performAndWait { try book("3", there).setValue(try author("b", there), forKey: "author") }
            let (a, b) = try here.performAndWait { (try author("a", here), try author("b", here)) }
            here.performAndWait { loose.setValue(a, forKey: "author") }
            try save(here, into: there)
            here.performAndWait {
                #expect(titles(a) == ["1", "2", "3"])
                loose.setValue(b, forKey: "author")
            }
            try there.performAndWait { there.delete(try book("3", there)) }
            try save(there, into: here)
            here.performAndWait {
                here.rollback()
                #expect(titles(a) == ["1", "2"])
            }
        }
    }

    @Test("what loses a member only because a conflict deletes that is not written again where another save deleted it")
    func consequenceOfConflict() throws {
        try twoContexts { here, there in
            let (a, tag, loose) = try here.performAndWait {
                let (tag, loose) = (here.make("Tag"), here.make("Book", ["title": "3"]))
                loose.setValue(NSSet(object: tag), forKey: "tags")
                try here.save()
                let a = try author("a", here)
                #expect(titles(a) == ["1", "2"])
                return (a, tag, loose)
            }
            try there.performAndWait {
                try book("3", there).setValue(try author("a", there), forKey: "author")
                there.delete(try #require(try there.all("Tag").first))
                try there.save()
            }
            try here.performAndWait {
                here.delete(a)
                here.mergePolicy = NSMergePolicy.overwrite
                try here.save()
            }
            withExtendedLifetime((tag, loose)) {}
            let reader = coordinator.context()
            #expect(try reader.all("Tag").isEmpty)
            #expect(try reader.all("Book").isEmpty)
        }
    }

    @Test("a conflict that leaves a book with the author it has in the store does not write that author")
    func unchangedOwner() throws {
        try twoContexts { here, there in
            let loose = try here.performAndWait {
                let loose = here.make("Book", ["title": "3"])
                try here.save()
                return loose
            }
            let owner = try there.performAndWait {
                let owner = try author("a", there)
                try book("3", there).setValue(owner, forKey: "author")
                try there.save()
                return owner
            }
            try here.performAndWait {
                loose.setValue(nil, forKey: "author")
                here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                try here.save()
            }
            try there.performAndWait {
                owner.setValue("A", forKey: "name")
                try there.save()
            }
            #expect(try coordinator.context().strings("Author", "name") == ["A", "b"])
        }
    }

    @Test("a child sees what its parent changed in an object that was never saved, once it is refreshed")
    func childOfUnsaved() throws {
        let parent = coordinator.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        parent.performAndWait {
            let object = parent.make("Author", ["name": "a", "age": 1])
            let age = child.performAndWait {
                let mine = child.object(with: object.objectID)
                _ = mine.value(forKey: "age")
                parent.performAndWait { object.setValue(2, forKey: "age") }
                child.refreshAllObjects()
                return mine.value(forKey: "age") as? Int
            }
            #expect(age == 2)
        }
    }

    @Test("a child that merges after its parent reads members when asked for them: those of the parent by then")
    func membersOfParentAfterMerge() throws {
        try twoContexts { here, there in
            here.automaticallyMergesChangesFromParent = true
            let child = here.makeChild()
            child.automaticallyMergesChangesFromParent = true
            let mine = try author("a", child)
            #expect(titles(mine) == ["1", "2"])
            // A change that is none touches the row all the same.
            try author("a", there).setValue("a", forKey: "name")
            try there.save()
            here.drain()
            child.drain()
            try book("2", here).setValue(nil, forKey: "author")
            #expect(titles(mine) == ["1"])
        }
    }

    @Test("a member that is moved by a save has what another one saved of it meanwhile, for every context")
    func movedStaleMember() throws {
        try twoContexts { here, there in
            let mine = try author("a", here)
            let books = try #require(mine.value(forKey: "books") as? NSOrderedSet)
            #expect(titles(mine) == ["1", "2"])
            let moved = try book("1", here)
            func tags() -> Int { (moved.value(forKey: "tags") as? NSSet)?.count ?? 0 }
            #expect(tags() == 0)
            let theirs = try book("1", there)
            theirs.setValue("3", forKey: "title")
            theirs.setValue(NSSet(object: there.make("Tag")), forKey: "tags")
            try there.save()
            #expect(tags() == 0)
            mine.setValue(books.reversed, forKey: "books")
            try here.save()
            #expect(tags() == 1)
            let reader = coordinator.context()
            #expect(titles(try author("a", reader)) == ["2", "3"])
            #expect(titles(mine) == ["2", "3"])
        }
    }

    @Test("a redo deletes again what was saved before")
    func redoneDeletion() throws {
        let context = coordinator.context()
        let manager = FirnFoundation.UndoManager()
        manager.groupsByEvent = false
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            try context.save()
            context.undoManager = manager
            manager.beginUndoGrouping()
            context.delete(author)
            manager.endUndoGrouping()
            context.undo()
            #expect(!author.isDeleted)
            context.redo()
            #expect(author.isDeleted)
        }
    }

    @Test("an observer of a save may change something and save again")
    func savingInObserver() throws {
        let context = coordinator.context()
        nonisolated(unsafe) var rounds = 0
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { _ in
            rounds += 1
            guard rounds == 1 else { return }
            _ = context.make("Author", ["name": "second"])
            try? context.save()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            _ = context.make("Author", ["name": "first"])
            try context.save()
        }
        #expect(rounds == 2)
        #expect(try coordinator.context().strings("Author", "name") == ["first", "second"])
    }

    @Test("a member that a save elsewhere only moved is known by that save's notification: changing it is no conflict")
    func movedMember() throws {
        try twoContexts { here, there in
            let mine = try here.performAndWait { try ["1", "2"].map { try book($0, here) } }
            let saved = try there.performAndWait {
                let books = NSOrderedSet(array: try ["2", "1"].map { try book($0, there) })
                try author("a", there).setValue(books, forKey: "books")
                return try #require(try there.saveNotification())
            }
            try here.performAndWait {
                here.mergeChanges(fromContextDidSave: saved)
                for book in mine { book.setValue(10, forKey: "pages") }
                try here.save()
            }
        }
    }
}
