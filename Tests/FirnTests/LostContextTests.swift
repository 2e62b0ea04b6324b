import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Objects that no page of the registry holds: their reference to the context is not counted, so it has to tell them.
@Suite("Objects that outlive their context")
struct LostContextTests {
    @Test("an object of a removed store that outlives its context is in none, and reads nil")
    func removedStore() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            var context: NSManagedObjectContext? = coordinator.context()
            let ada = try #require(context?.make("Author", ["name": "Ada"]))
            try context?.save()
            try coordinator.remove(coordinator.persistentStores[0])
            context?.drain()
            context = nil
            // What is allocated now may be where the context was.
            let others = (0..<1000).map { _ in NSObject() }
            guard ada.managedObjectContext == nil, ada.value(forKey: "name") == nil else { fatalError("a context") }
            withExtendedLifetime(others) {}
        }
    }

    @Test("an unsaved object with a permanent ID that is inserted again is known to its context")
    func permanentID() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.obtainPermanentIDs(for: [author])
        context.rollback()
        #expect(author.managedObjectContext == nil)
        context.insert(author)
        #expect(context.registeredObject(for: author.objectID) === author)
        try context.save()
        #expect(try context.all("Author").allSatisfy { $0 === author })
    }

    @Test("an object whose deletion was saved is one instance, and told as inserted, when it is inserted again")
    func savedDeletion() throws {
        let coordinator = try Library.inMemory()
        let (context, follower) = (coordinator.context(), coordinator.context())
        follower.automaticallyMergesChangesFromParent = true
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        context.delete(author)
        try context.save()
        context.insert(author)
        let saved = try #require(try context.saveNotification())
        #expect(saved.objects(NSInsertedObjectsKey) == [author])
        #expect(try context.all("Author") == [author])
        #expect(author.managedObjectContext === context && !author.isDeleted)
    }

    @Test("an object that its context forgot is another one once it is inserted", arguments: [false, true])
    func forgotten(isInChild: Bool) throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        let id = author.objectID
        context.reset()
        let target = isInChild ? context.makeChild() : context
        target.insert(author)
        try target.save()
        if isInChild { try context.save() }
        let reader = coordinator.context()
        #expect(try reader.existingObject(with: id).text("name") == "Ada")
        #expect(try reader.all("Author").count == 2)
    }

    @Test("a context that is still used lets go of a store that was removed")
    func releasedStore() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        weak var store: NSPersistentStore?
        do {
            let second = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
            store = second
            let author = context.make("Author", ["name": "Ada"])
            context.assign(author, to: second)
            try context.save()
            try coordinator.remove(second)
        }
        context.drain()
        #expect(store == nil)
    }
}
