import Firn
import FirnFoundation
import FirnModel
import Foundation
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
