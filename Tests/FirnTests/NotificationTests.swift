import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Notifications")
struct NotificationTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    /// The names of the context's notifications in the order of their posting.
    private final class Sequence: @unchecked Sendable {
        private(set) var names: [String] = []
        private var tokens: [any NSObjectProtocol] = []

        init(_ context: NSManagedObjectContext) {
            let names: [(Notification.Name, String)] = [
                (.NSManagedObjectContextObjectsDidChange, "change"),
                (.NSManagedObjectContextWillSave, "will"), (.NSManagedObjectContextDidSave, "did"),
            ]
            for (name, short) in names {
                tokens.append(
                    NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                        [weak self] _ in self?.names.append(short)
                    })
            }
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }

    @Test("a save posts objects-did-change, will-save, did-save, in this order")
    func order() throws {
        let sequence = Sequence(context)
        for name in ["a", "b", "c"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        #expect(sequence.names == ["change", "will", "did"])
    }

    @Test("did-save carries sets of objects, and their permanent IDs")
    func didSaveKeys() throws {
        let ada = context.make("Author", ["name": "Ada"])
        let bob = context.make("Author", ["name": "Bob"])
        try context.save()
        ada.setValue("Eve", forKey: "name")
        context.delete(bob)
        let new = context.make("Author", ["name": "New"])
        let did = Recorder(.NSManagedObjectContextDidSave, context)
        let ids = Recorder(.NSManagedObjectContextDidSaveObjectIDs, context)
        try context.save()
        let userInfo = try #require(did.notifications.first?.userInfo)
        #expect(userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
        #expect(userInfo[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [ada])
        #expect(userInfo[NSDeletedObjectsKey] as? Set<NSManagedObject> == [bob])
        #expect(userInfo[NSRefreshedObjectsKey] == nil)
        let key = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
        #expect(ids.notifications.first?.userInfo?[key] as? Set<NSManagedObjectID> == [new.objectID])
        #expect(!new.objectID.isTemporaryID)
    }

    @Test("many edits are one notification, and a fetch is none")
    func oneForMany() throws {
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        for index in 0..<200 { _ = context.make("Author", ["name": "\(index)"]) }
        context.processPendingChanges()
        _ = try context.all("Author")
        #expect(change.notifications.count == 1)
    }

    @Test("reset tells only that all was invalidated")
    func reset() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.reset()
        let userInfo = try #require(change.notifications.first?.userInfo)
        #expect(Set(userInfo.keys.compactMap { $0 as? String }) == [NSInvalidatedAllObjectsKey])
        #expect(userInfo[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [ada.objectID])
    }

    @Test("merging another context's save reports its updates as refreshed, its inserts as inserted")
    func merging() throws {
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        let other = coordinator.context()
        let theirs = try other.existingObject(with: ada.objectID)
        theirs.setValue("Eve", forKey: "name")
        let new = other.make("Author", ["name": "New"])
        let did = Recorder(.NSManagedObjectContextDidSave, other)
        try other.save()
        let change = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        context.mergeChanges(fromContextDidSave: try #require(did.notifications.first))
        let userInfo = try #require(change.notifications.first?.userInfo)
        #expect(userInfo[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [ada])
        #expect(userInfo[NSUpdatedObjectsKey] == nil)
        let inserted = userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject>
        #expect(Set((inserted ?? []).map(\.objectID)) == [new.objectID])
    }
}
