import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A temporary ID is the object's in the whole tree of contexts, before and after it has a permanent one.
@Suite("Temporary object IDs in a tree of contexts")
struct TemporaryIDTests {
    let coordinator: NSPersistentStoreCoordinator
    let root: NSManagedObjectContext
    let main: NSManagedObjectContext
    let worker: NSManagedObjectContext
    let ada: NSManagedObject
    let temporary: NSManagedObjectID

    init() throws {
        coordinator = try Library.inMemory()
        root = coordinator.context()
        main = root.makeChild()
        worker = main.makeChild()
        ada = worker.make("Author", ["name": "Ada"])
        temporary = ada.objectID
    }

    /// Saves the worker's object up to the store.
    private func saveAll() throws {
        for context in [worker, main, root] { try context.save() }
    }

    private func name(_ context: NSManagedObjectContext, _ id: NSManagedObjectID) throws -> String? {
        try context.existingObject(with: id).value(forKey: "name") as? String
    }

    @Test("before the root's save, a temporary ID leads to the object in each context that was saved into")
    func beforeTheSave() throws {
        try worker.save()
        #expect(try name(main, temporary) == "Ada")
        #expect(throws: NSError.self) { try root.existingObject(with: temporary) }
        try main.save()
        #expect(try name(root, temporary) == "Ada")
    }

    @Test("after the root's save, a temporary ID leads to the one instance in every context")
    func afterTheSave() throws {
        try saveAll()
        for context in [root, main, worker] {
            let known = try #require(try context.all("Author").first)
            #expect(context.object(with: temporary) === known)
            #expect(context.registeredObject(for: temporary) === known)
            #expect(try context.existingObject(with: temporary) === known)
        }
        #expect(worker.object(with: temporary) === ada)
    }

    @Test("after the root's save, a new context on the same coordinator finds the object by its temporary ID")
    func inAnotherTree() throws {
        try saveAll()
        #expect(try name(coordinator.context(), temporary) == "Ada")
    }

    @Test("an object whose context is gone is found by its temporary ID at each level")
    func editorIsGone() throws {
        let id = try {
            let editor = main.makeChild()
            let bob = editor.make("Author", ["name": "Bob"])
            try editor.save()
            return bob.objectID
        }()
        #expect(try name(main, id) == "Bob")
        try main.save()
        #expect(try name(root, id) == "Bob")
        try root.save()
        #expect(try name(main, id) == "Bob")
        #expect(try name(worker, id) == "Bob")
    }

    @Test("an object has its temporary ID until its context reads again, and then the permanent one")
    func learning() throws {
        try saveAll()
        #expect(ada.objectID === temporary)
        #expect(try worker.all("Author") == [ada])
        #expect(!ada.objectID.isTemporaryID)
        #expect(ada.objectID == (try root.all("Author").first?.objectID))
    }

    @Test("an ID that a context obtains below is the object's at every level at once")
    func obtainedBelow() throws {
        try worker.save()
        try main.save()
        try worker.obtainPermanentIDs(for: [ada])
        #expect(!ada.objectID.isTemporaryID)
        #expect(root.insertedObjects.map(\.objectID) == [ada.objectID])
        try root.save()
        #expect(try root.all("Author").map(\.objectID) == [ada.objectID])
    }

    @Test("an ID that is obtained at each level is the same one")
    func obtainedEverywhere() throws {
        try worker.save()
        let middle = main.object(with: temporary)
        try main.obtainPermanentIDs(for: [middle])
        try worker.obtainPermanentIDs(for: [ada])
        #expect(middle.objectID == ada.objectID)
        #expect(!ada.objectID.isTemporaryID)
    }

    @Test("an ID that is obtained below is in the store to which a context above assigned the object")
    func obtainedAfterAssignment() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        try worker.save()
        main.assign(main.object(with: temporary), to: second)
        try worker.obtainPermanentIDs(for: [ada])
        #expect(ada.objectID.persistentStore === second)
    }

    @Test("an object that was saved upwards goes into the store to which a context below assigns it after that")
    func assignedBelow() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        for context in [worker, main] { try context.save() }
        worker.assign(ada, to: second)
        try root.save()
        #expect(try root.all("Author").map { $0.objectID.persistentStore } == [second])
    }

    @Test("a child's fault of a new object that leads to an object of the second store reads that object")
    func referenceIntoTheSecondStore() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        _ = root.make("Author", ["name": "First"])
        let zoe = root.make("Author", ["name": "Zoe"])
        root.assign(zoe, to: second)
        try root.save()
        let book = root.make("Book")
        book.setValue(zoe, forKey: "author")
        let theirs = main.object(with: book.objectID)
        #expect((theirs.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Zoe")
    }

    @Test("a predicate with a temporary ID finds the object before and after the root's save, in every context")
    func predicates() throws {
        let book = worker.make("Book", ["title": "Notes"])
        book.setValue(ada, forKey: "author")
        func found(_ context: NSManagedObjectContext) throws -> [Int] {
            let cases: [(String, String, Any)] = [
                ("Author", "SELF == %@", temporary), ("Author", "SELF IN %@", [temporary]),
                ("Book", "author == %@", temporary), ("Book", "author == %@", ada),
            ]
            return try cases.map { entity, format, argument in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format, argumentArray: [argument])
                return try context.count(for: request)
            }
        }
        #expect(try found(worker) == [1, 1, 1, 1])
        try worker.save()
        #expect(try found(worker) == [1, 1, 1, 1])
        try main.save()
        try root.save()
        for context in [root, main, worker] { #expect(try found(context) == [1, 1, 1, 1]) }
    }

    @Test("a batch delete takes temporary IDs of objects that are saved by now")
    func batchDelete() throws {
        try saveAll()
        let request = NSBatchDeleteRequest(objectIDs: [temporary])
        request.resultType = .resultTypeCount
        #expect((try root.execute(request) as? NSBatchDeleteResult)?.result as? Int == 1)
    }

    @Test("a save that fails leaves the IDs temporary in the whole tree, and the next one makes them permanent")
    func failedSave() throws {
        let (server, url) = (DictionaryStore.Server(), URL(fileURLWithPath: "/\(UUID().uuidString)"))
        DictionaryStore.use(server, at: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try coordinator.addPersistentStore(type: DictionaryStore.storeType, at: url)
        let root = coordinator.context()
        let child = root.makeChild()
        let bob = child.make("Author", ["name": "Bob"])
        let id = bob.objectID
        try child.save()
        server.failure = CocoaError(.persistentStoreSave) as NSError
        #expect(throws: (any Error).self) { try root.save() }
        server.failure = nil
        #expect(child.object(with: id) === bob)
        #expect(bob.objectID === id)
        #expect(root.insertedObjects.map(\.objectID) == [id])
        try root.save()
        child.refreshAllObjects()
        #expect(bob.value(forKey: "name") as? String == "Bob")
        #expect(try child.all("Author") == [bob])
        #expect(!bob.objectID.isTemporaryID)
    }

    @Test("a child's change of a new object that its parent deleted is a conflict, and is lost by its merge policy")
    func deletedAbove() throws {
        try worker.save()
        main.shouldDeleteInaccessibleFaults = false
        main.delete(main.object(with: temporary))
        main.processPendingChanges()
        ada.setValue("Eve", forKey: "name")
        let error = #expect(throws: NSError.self) { try worker.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(worker.hasChanges)
        worker.mergePolicy = NSMergePolicy.rollback
        try worker.save()
        #expect(ada.isDeleted)
        #expect(!worker.hasChanges)
        try main.save()
        try root.save()
        #expect(try root.all("Author").isEmpty)
    }

    @Test("a parent that was asked for an object before its child saved it has one instance of it")
    func askedForBefore() throws {
        let early = main.object(with: temporary)
        try worker.save()
        #expect(early.isInserted)
        #expect(early.value(forKey: "name") as? String == "Ada")
        #expect(try main.all("Author") == [early])
    }

    @Test("a merge of a sibling's save brings its new objects, which have temporary IDs")
    func siblingMerge() throws {
        let sibling = main.makeChild()
        let saved = try #require(try worker.saveNotification())
        nonisolated(unsafe) var told: Set<NSManagedObjectID> = []
        let watch = Watch(.NSManagedObjectContextObjectsDidChange, sibling) {
            told.formUnion(($0.objects(NSInsertedObjectsKey) ?? []).map(\.objectID))
        }
        sibling.mergeChanges(fromContextDidSave: saved)
        withExtendedLifetime(watch) {}
        #expect(told == [temporary])
    }

    @Test("lazy results of new objects are the same instances after they are saved")
    func lazyResults() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let results = try worker.lazyResults(of: request)
        try saveAll()
        #expect(results[0] === ada)
    }

    @Test("a results controller of a child lists a new object at its place once it is saved")
    func ranks() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = []
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: worker, sectionNameKeyPath: nil, cacheName: nil)
        let listener = Follower()
        controller.delegate = listener
        try controller.performFetch()
        try saveAll()
        let bob = worker.make("Author", ["name": "Bob"])
        worker.processPendingChanges()
        ada.setValue("Eve", forKey: "name")
        worker.processPendingChanges()
        #expect(controller.fetchedObjects == [ada, bob])
        #expect(try controller.fetchedObjects == worker.fetch(request))
    }

    /// Makes a controller follow its context.
    private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }
}
