import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (m): the keys of errors and the objects of notifications.
@Suite("Conformance (m): error keys and notifications")
struct ErrorKeyConformanceTests {
    private func conflict(_ policy: NSMergePolicy) throws -> (any Error)? {
        let coordinator = try Library.inMemory(ModelSketch.correspondence())
        let (context, other) = (coordinator.context(), coordinator.context())
        let person = context.make("Person", ["email": "ada@a"])
        try context.save()
        other.object(with: person.objectID).setValue("Ada", forKey: "name")
        try other.save()
        person.setValue("Eve", forKey: "name")
        context.mergePolicy = policy
        do {
            try context.save()
            return nil
        } catch { return error }
    }

    /// [AD]
    @Test("m.21 conflicts stand under NSPersistentStoreSaveConflictsErrorKey, and CocoaError finds them")
    func mergeConflicts() throws {
        let error = try conflict(NSMergePolicy.error)
        let known = try #require(error) as NSError
        #expect(known.code == NSManagedObjectMergeError)
        #expect((known.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.count == 1)
        #expect((error as? CocoaError)?.persistentStoreSaveConflicts?.count == 1)
        #expect((known.userInfo["conflictList"] as? [Any])?.count == 1)
    }

    /// [AD]
    @Test("m.21 conflicts of constraints stand under the same key")
    func constraintConflicts() throws {
        let context = try Library.inMemory(ModelSketch.correspondence()).context()
        for _ in 0..<2 { _ = context.make("Person", ["email": "ada@a"]) }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect((error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.count == 1)
    }

    /// [AD]
    @Test("m.21 the object of NSPersistentStoreCoordinatorWillRemoveStore is the store")
    func removal() throws {
        let coordinator = try Library.inMemory()
        let store = try #require(coordinator.persistentStores.first)
        nonisolated(unsafe) var objects: [ObjectIdentifier] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
        ) { note in
            objects.append(ObjectIdentifier(note.object as AnyObject))
        }
        try coordinator.remove(store)
        NotificationCenter.default.removeObserver(observer)
        #expect(objects == [ObjectIdentifier(store)])
    }
}
