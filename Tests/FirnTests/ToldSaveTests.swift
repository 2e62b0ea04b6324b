import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Merging the notification of so large a save that what it told of is remembered beside its sets.
@Suite("Merging a large save's own notification")
struct ToldSaveTests {
    private static let count = 9000

    private let directory: TemporaryDirectory
    private let coordinator: NSPersistentStoreCoordinator
    private let there: NSManagedObjectContext
    private let here: NSManagedObjectContext
    private let books: [NSManagedObject]

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        (there, here) = (coordinator.context(), coordinator.context())
        let writer = there
        books = try writer.performAndWait {
            let books = (0..<Self.count).map { writer.make("Book", ["title": "\($0)", "pages": 1]) }
            try writer.save()
            return books
        }
    }

    /// Changes all books there, and gives what the save told.
    private func changeAll() throws -> Notification {
        let recorder = Recorder(.NSManagedObjectContextDidSave, there)
        try there.performAndWait {
            for book in books { book.setValue(2, forKey: "pages") }
            try there.save()
        }
        return try #require(recorder.notifications.first)
    }

    private func held() throws -> [NSManagedObject] {
        try here.performAndWait {
            let held = try here.all("Book")
            for book in held { _ = book.value(forKey: "title") }
            return held
        }
    }

    /// Merges, and gives the IDs that the context then told of as merged, and the objects that it refreshed.
    private func merge(
        _ saved: Notification
    ) throws -> (updated: Set<NSManagedObjectID>?, refreshed: Set<NSManagedObject>?) {
        let merges = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, here)
        let changes = Recorder(.NSManagedObjectContextObjectsDidChange, here)
        here.performAndWait { here.mergeChanges(fromContextDidSave: saved) }
        let updated = merges.notifications.last?.userInfo?[NSUpdatedObjectIDsKey]
        let refreshed = changes.notifications.last?.userInfo?[NSRefreshedObjectsKey]
        return (updated as? Set<NSManagedObjectID>, refreshed as? Set<NSManagedObject>)
    }

    @Test("refreshes what is here, tells of all, and leaves the sets plain")
    func all() throws {
        let held = try held()
        let saved = try changeAll()
        #expect(saved.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == Set(books))
        let (updated, refreshed) = try merge(saved)
        #expect(updated == Set(books.map(\.objectID)))
        #expect(refreshed == Set(held))
        #expect(here.performAndWait { held.allSatisfy { $0.value(forKey: "pages") as? Int == 2 } })
    }

    @Test("an automatic follower tells of all too")
    func follower() async throws {
        let held = try held()
        here.automaticallyMergesChangesFromParent = true
        let merges = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, here)
        _ = try changeAll()
        await here.perform {}
        let told = merges.notifications.last?.userInfo?[NSUpdatedObjectIDsKey]
        #expect(told as? Set<NSManagedObjectID> == Set(held.map(\.objectID)))
    }

    enum Change: CaseIterable { case removed, replaced, copied }

    @Test("a set that was changed, where it is or as a copy, is merged by its members", arguments: Change.allCases)
    func changed(_ change: Change) throws {
        let held = try held()
        var userInfo = try #require(try changeAll().userInfo)
        // From here on the set is nobody else's, unless there is a copy.
        let copy = change == .copied ? userInfo[NSUpdatedObjectsKey] : nil
        var set = try #require(userInfo.removeValue(forKey: NSUpdatedObjectsKey) as? Set<NSManagedObject>)
        let other = there.performAndWait { there.make("Book", ["title": "new", "pages": 5]) }
        set.remove(books[0])
        if change != .removed { set.insert(other) }
        userInfo[NSUpdatedObjectsKey] = set
        let expected = Set(set.map(\.objectID))
        let (updated, refreshed) = try merge(
            Notification(name: .NSManagedObjectContextDidSave, object: there, userInfo: userInfo))
        #expect(updated == expected)
        let first = books[0].objectID
        #expect(refreshed == Set(held.filter { $0.objectID != first }))
        withExtendedLifetime(copy) {}
    }

    @Test("the notification's generation keeps none of the objects alive")
    func lifetime() throws {
        let saved = try changeAll()
        let generation = saved.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
        #expect(generation?.copy() as? NSQueryGenerationToken == generation)
        weak var gone: NSManagedObject?
        let writer = coordinator.context()
        let token = try writer.performAndWait {
            let recorder = Recorder(.NSManagedObjectContextDidSave, writer)
            for book in try writer.all("Book") { book.setValue(3, forKey: "pages") }
            gone = writer.updatedObjects.first
            try writer.save()
            return recorder.notifications.first?.userInfo?[NSManagedObjectContextQueryGenerationKey]
        }
        #expect(token is NSQueryGenerationToken)
        #expect(gone == nil)
    }
}
