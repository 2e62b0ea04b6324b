import Firn
import class FirnFoundation.NSSortDescriptor
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Controllers used in ways that nobody should.
@Suite("Fetched results under attack")
struct ResultsAttackTests {
    let context: NSManagedObjectContext
    let witness = ListWitness()

    init() throws {
        context = try Library.inMemory().context()
        for (name, age) in [("a", 3), ("b", 2), ("c", 1)] { _ = context.make("Author", ["name": name, "age": age]) }
        try context.save()
    }

    private func controller(
        sort: [NSSortDescriptor] = [NSSortDescriptor(key: "name", ascending: true)], section: String? = nil,
        resultType: NSFetchRequestResultType = .managedObjectResultType
    ) -> NSFetchedResultsController<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        request.sortDescriptors = sort
        request.resultType = resultType
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: nil)
        controller.delegate = witness
        return controller
    }

    private func names(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) -> [String] {
        (controller.fetchedObjects ?? []).compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
    }

    @Test("a delegate that changes and saves while it is told is told of that afterwards")
    func interference() throws {
        let controller = controller()
        try controller.performFetch()
        witness.start(controller)
        var rounds = 0
        let context = context
        witness.interference = { step in
            guard case .object = step, rounds < 3 else { return }
            rounds += 1
            _ = context.make("Author", ["name": "0\(rounds)"])
            try? context.save()
        }
        _ = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        #expect(names(controller) == ["01", "02", "03", "a", "b", "c", "z"])
        #expect(witness.sections == ListWitness.content(controller))
        #expect(witness.steps.count == 4 * 3)
    }

    @Test("a delegate that performs the fetch while it is told has the new results")
    func fetchInside() throws {
        let controller = controller()
        try controller.performFetch()
        witness.interference = { step in
            if case .willChange = step { try? controller.performFetch() }
        }
        _ = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        #expect(names(controller) == ["a", "b", "c", "z"])
    }

    @Test("performing the fetch twice tells nothing and gives the same")
    func fetchTwice() throws {
        let controller = controller()
        try controller.performFetch()
        _ = context.make("Author", ["name": "z"])
        try controller.performFetch()
        #expect(names(controller) == ["a", "b", "c", "z"])
        #expect(witness.steps.isEmpty)
    }

    @Test("a controller keeps its context alive")
    func outlivesContext() throws {
        weak var weakContext: NSManagedObjectContext?
        let coordinator = try Library.inMemory()
        let controller: NSFetchedResultsController<NSManagedObject>
        do {
            let context = coordinator.context()
            weakContext = context
            _ = context.make("Author", ["name": "a"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        }
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 1)
        #expect(weakContext != nil)
    }

    @Test("a controller that nobody holds goes away with its observers")
    func deallocation() throws {
        weak var gone: NSFetchedResultsController<any NSFetchRequestResult>?
        do {
            let controller = controller()
            try controller.performFetch()
            gone = controller
        }
        #expect(gone == nil)
        _ = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        #expect(witness.steps.isEmpty)
    }

    @Test("objects that sort alike keep one order, as a fetch has them, before and after they are saved")
    func equalKeys() throws {
        let controller = controller(sort: [NSSortDescriptor(key: "isAlive", ascending: true)])
        try controller.performFetch()
        for number in 0..<40 { _ = context.make("Author", ["name": "n\(number)"]) }
        context.processPendingChanges()
        let told = names(controller)
        try context.save()
        #expect(names(controller) == told)
        let fresh = try context.fetch(controller.fetchRequest).compactMap {
            ($0 as? NSManagedObject)?.value(forKey: "name") as? String
        }
        #expect(fresh == told)
    }

    @Test("objects without a section name are in the section with the empty name")
    func nilSection() throws {
        _ = context.make("Author", ["age": 9])
        let controller = controller(section: "name")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["", "a", "b", "c"])
    }

    @Test("sections that a case-insensitive order tears apart are Core Data's error, with the place")
    func tornSections() throws {
        _ = context.make("Author", ["name": "A", "age": 2])
        _ = context.make("Author", ["name": "a", "age": 1])
        let sort = NSSortDescriptor(
            key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        let controller = controller(sort: [sort, NSSortDescriptor(key: "age", ascending: false)], section: "name")
        let error = #expect(throws: NSError.self) { try controller.performFetch() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains("index 2 has an out of order section name 'a'") == true)
    }

    @Test("without results there is one section, or none by a section name")
    func empty() throws {
        for author in try context.all("Author") { context.delete(author) }
        let plain = controller()
        try plain.performFetch()
        #expect(plain.sections?.map(\.numberOfObjects) == [0])
        #expect(plain.fetchedObjects?.isEmpty == true)
        let sectioned = controller(section: "name")
        try sectioned.performFetch()
        #expect(sectioned.sections?.isEmpty == true)
    }

    @Test("object IDs as results are tracked like objects")
    func objectIDs() throws {
        let controller = controller(resultType: .managedObjectIDResultType)
        try controller.performFetch()
        let author = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        let ids = (controller.fetchedObjects ?? []).compactMap { $0 as? NSManagedObjectID }
        #expect(ids.count == 4)
        #expect(ids.last == author.objectID)
        #expect(controller.indexPath(forObject: author.objectID) == [0, 3])
    }

    @Test("dictionaries as results are listed in sections, and not tracked")
    func dictionaries() throws {
        let controller = controller(section: "name", resultType: .dictionaryResultType)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["a", "b", "c"])
        _ = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 3)
        #expect(witness.steps.isEmpty)
    }

    @Test("a controller is the one that its delegate is given, whatever its type")
    func identity() throws {
        final class Asking: NSObject, NSFetchedResultsControllerDelegate {
            weak var typed: NSFetchedResultsController<NSManagedObject>?
            var answers: [Bool] = []

            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                answers = [controller === typed, controller == typed, controller !== typed]
            }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let typed = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let asking = Asking()
        asking.typed = typed
        typed.delegate = asking
        try typed.performFetch()
        _ = context.make("Author")
        context.processPendingChanges()
        #expect(asking.answers == [true, true, false])
    }

    @Test("a listener is given the content, and the newest after changes")
    func listener() async throws {
        let controller = controller()
        controller.delegate = nil
        try controller.performFetch()
        var snapshots = controller.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?.objectIDs.count == 3)
        _ = context.make("Author", ["name": "y"])
        context.processPendingChanges()
        let last = context.make("Author", ["name": "z"])
        context.processPendingChanges()
        let snapshot = await snapshots.next()
        #expect(snapshot?.objectIDs.count == 5)
        #expect(snapshot?.objectIDs.last == last.objectID)
    }

    @Test("changes that another context saved to objects held as faults are told after a merge")
    func mergedFaults() throws {
        let controller = controller()
        try controller.performFetch()
        context.refreshAllObjects()
        witness.start(controller)
        let other = try #require(context.persistentStoreCoordinator).context()
        let theirs = try #require(try other.all("Author", sortedBy: "name").first)
        for author in try context.all("Author") { context.refresh(author, mergeChanges: false) }
        context.processPendingChanges()
        witness.forget()
        theirs.setValue("q", forKey: "name")
        let merge = Watch(.NSManagedObjectContextDidSave, other) { context.mergeChanges(fromContextDidSave: $0) }
        try other.save()
        #expect(names(controller) == ["b", "c", "q"])
        #expect(witness.types == [.move])
        withExtendedLifetime(merge) {}
    }
}
