import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Merging more objects than are taken in one go, so many that they are put in the order of their keys.
@Suite("Merging a large save")
struct LargeMergeTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let here: NSManagedObjectContext
    private let there: NSManagedObjectContext
    private let ids: [NSManagedObjectID]

    init() throws {
        coordinator = try Library.inMemory()
        here = coordinator.context()
        let writer = coordinator.context()
        there = writer
        let books = (0..<700).map { writer.make("Book", ["title": "\($0)", "pages": 1]) }
        try writer.save()
        ids = books.map(\.objectID)
    }

    /// What the context held, by what it held of it.
    private struct Held {
        var objects: [NSManagedObject] = []
        var faults: [NSManagedObject] = []
        var changed: [NSManagedObject] = []
    }

    /// Every seventh object is not here, every fifth a fault, every eleventh has a change of its own.
    private func hold() throws -> Held {
        var held = Held()
        for (number, id) in ids.enumerated() where number % 7 != 0 {
            let object = here.object(with: id)
            if number % 5 == 0 {
                held.faults.append(object)
                continue
            }
            _ = object.value(forKey: "title")
            held.objects.append(object)
            guard number % 11 == 0 else { continue }
            object.setValue("mine", forKey: "title")
            held.changed.append(object)
        }
        here.processPendingChanges()
        return held
    }

    /// All are changed there, and every thirteenth is then deleted.
    private func changeAll(_ name: Notification.Name) throws -> (saved: Notification, deleted: Set<NSManagedObjectID>) {
        let recorder = Recorder(name, there)
        for id in ids {
            let object = try there.existingObject(with: id)
            object.setValue("theirs", forKey: "title")
            object.setValue(2, forKey: "pages")
        }
        try there.save()
        let saved = try #require(recorder.notifications.first)
        let deleted = ids.enumerated().filter { $0.offset % 13 == 0 }.map(\.element)
        for id in deleted { there.delete(try there.existingObject(with: id)) }
        try there.save()
        return (saved, Set(deleted))
    }

    @Test(
        "tells of what was here, and puts the rows as they are now under it",
        arguments: [Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs])
    func large(_ name: Notification.Name) throws {
        let held = try hold()
        let (saved, deleted) = try changeAll(name)
        let changes = Recorder(.NSManagedObjectContextObjectsDidChange, here)
        let merges = Recorder(.NSManagedObjectContextDidMergeChangesObjectIDs, here)
        here.mergeChanges(fromContextDidSave: saved)

        let info = try #require(changes.notifications.last?.userInfo)
        let left = held.objects.filter { !deleted.contains($0.objectID) }
        #expect(info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == Set(left))
        #expect(info[NSDeletedObjectsKey] as? Set<NSManagedObject> == Set(held.objects).subtracting(left))
        let told = try #require(merges.notifications.last?.userInfo)
        #expect(told[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == Set(ids))
        #expect(told[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == Set(ids))

        let mine = Set(held.changed)
        for object in left {
            #expect(object.value(forKey: "title") as? String == (mine.contains(object) ? "mine" : "theirs"))
            #expect(object.value(forKey: "pages") as? Int == 2)
        }
        #expect(held.faults.filter { !$0.isFault } == [])
        #expect(Set(held.objects.filter { $0.isDeleted }) == Set(held.objects).subtracting(left))
    }
}
