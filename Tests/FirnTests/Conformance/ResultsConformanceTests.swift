import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Fetched results controllers. Line numbers are those of section (j) of the behaviour checklist.
@Suite("Conformance (j): fetched results controllers")
struct ResultsConformanceTests {
    let context: NSManagedObjectContext
    let witness = ListWitness()
    let ada: NSManagedObject
    let bob: NSManagedObject
    let cy: NSManagedObject

    init() throws {
        context = try Library.inMemory().context()
        ada = context.make("Author", ["name": "Ada", "age": 1])
        bob = context.make("Author", ["name": "Bob", "age": 1])
        cy = context.make("Author", ["name": "Cy", "age": 2])
        try context.save()
    }

    /// Sorted by age and name, watched.
    private func controller(
        _ predicate: String? = nil, section: String? = nil, limit: Int = 0
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.fetchLimit = limit
        request.sortDescriptors = [
            NSSortDescriptor(key: "age", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        return try witness.watched(request, in: context, section: section)
    }

    /// [H]
    @Test("j.1 a request without sort descriptors stops the program")
    func needsSort() async {
        await #expect(processExitsWith: .failure) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            _ = NSFetchedResultsController(
                fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author"), managedObjectContext: context,
                sectionNameKeyPath: nil, cacheName: nil)
        }
    }

    /// [H]
    @Test("j.1 there are no objects and no sections before the fetch")
    func beforeFetch() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        #expect(controller.fetchedObjects == nil)
        #expect(controller.sections == nil)
    }

    /// [H]
    @Test("j.1 without a delegate the results stay as they were fetched")
    func untracked() throws {
        let controller = try controller()
        controller.delegate = nil
        context.delete(ada)
        context.processPendingChanges()
        #expect(controller.fetchedObjects == [ada, bob, cy])
    }

    /// [H]
    @Test("j.2 a delegate that takes snapshots is told nothing else")
    func snapshots() throws {
        let controller = try controller(section: "age")
        let delegate = SnapshotWitness()
        controller.delegate = delegate
        try controller.performFetch()
        bob.setValue(2, forKey: "age")
        context.processPendingChanges()
        let last = try #require(delegate.snapshots.last)
        #expect(delegate.snapshots.count == 2)
        #expect(last.sectionIdentifiers as? [String] == ["1", "2"])
        let items = last.itemIdentifiersInSection(withIdentifier: "2")
        #expect(items as? [NSManagedObjectID] == [bob.objectID, cy.objectID])
        #expect(last.reloadedItemIdentifiers as? [NSManagedObjectID] == [bob.objectID])
        #expect(last.sectionIdentifier(forSectionContainingItemIdentifier: ada.objectID) as? String == "1")
        #expect(delegate.otherCallCount == 0)
    }

    /// [H]
    @Test("j.2 a delegate that takes differences is told nothing else")
    func differences() throws {
        let controller = try controller()
        let delegate = DifferenceWitness()
        controller.delegate = delegate
        delegate.objects = controller.fetchedObjects ?? []
        ada.setValue(3, forKey: "age")
        context.processPendingChanges()
        #expect(delegate.objects == [bob, cy, ada])
        #expect(delegate.callCount == 1)
        #expect(delegate.otherCallCount == 0)
    }

    /// [H]
    @Test("j.2 differences are not for sections")
    func differencesWithSections() throws {
        let controller = try controller(section: "age")
        let delegate = DifferenceWitness()
        controller.delegate = delegate
        ada.setValue(3, forKey: "age")
        context.processPendingChanges()
        #expect(delegate.callCount == 0)
        #expect(delegate.otherCallCount == 2)
    }

    /// [H]
    @Test("j.3 a change begins, tells sections before objects, with places before and after, and ends")
    func order() throws {
        let controller = try controller(section: "age")
        context.delete(cy)
        let dan = context.make("Author", ["name": "Dan", "age": 0])
        ada.setValue("Ada L", forKey: "name")
        context.processPendingChanges()
        #expect(
            witness.steps == [
                .willChange, .section(.delete, 1, name: "2"), .section(.insert, 0, name: "0"),
                .object(.delete, cy, old: [1, 0], new: nil), .object(.insert, dan, old: nil, new: [0, 0]),
                .object(.update, ada, old: [0, 0], new: [1, 0]), .didChange,
            ])
        withExtendedLifetime(controller) {}
    }

    /// [H]
    @Test("j.3 the old content is there when a change begins, the new when it is told")
    func contentWhileTold() throws {
        let controller = try controller()
        var seen: [Int] = []
        witness.interference = { _ in seen.append(controller.fetchedObjects?.count ?? -1) }
        context.delete(cy)
        context.processPendingChanges()
        context.delete(bob)
        context.processPendingChanges()
        #expect(seen == [3, 2, 2, 2, 1, 1])
    }

    /// [H][CDP][FCD]
    @Test("j.4 a move is told once, an update only where nothing moved")
    func moveOrUpdate() throws {
        let controller = try controller()
        ada.setValue(9, forKey: "age")
        bob.setValue(true, forKey: "isAlive")
        context.processPendingChanges()
        #expect(
            witness.steps == [
                .willChange, .object(.move, ada, old: [0, 0], new: [0, 2]),
                .object(.update, bob, old: [0, 1], new: [0, 0]), .didChange,
            ])
        withExtendedLifetime(controller) {}
    }

    /// [H]
    @Test("j.4 objects that come to match are inserted, those that cease to are deleted")
    func matching() throws {
        let controller = try controller("age < 2")
        cy.setValue(0, forKey: "age")
        ada.setValue(5, forKey: "age")
        context.processPendingChanges()
        #expect(witness.types == [.delete, .insert])
        #expect(controller.fetchedObjects == [cy, bob])
    }

    /// [CDP]
    @Test("j.5 two objects whose section is renamed: one section comes, two go")
    func renamedSections() throws {
        let controller = try controller("name != 'Ada'", section: "age")
        for author in [bob, cy] { author.setValue(7, forKey: "age") }
        context.processPendingChanges()
        #expect(
            witness.steps.prefix(4) == [
                .willChange, .section(.delete, 1, name: "2"), .section(.delete, 0, name: "1"),
                .section(.insert, 0, name: "7"),
            ])
        #expect(witness.sections == ListWitness.content(controller))
    }

    /// [H]
    @Test("j.5 a section that is told to be deleted has no objects")
    func deletedSection() throws {
        final class Sections: NSObject, NSFetchedResultsControllerDelegate {
            var counts: [Int] = []

            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
                for type: NSFetchedResultsChangeType
            ) { counts.append(sectionInfo.numberOfObjects) }
        }
        let controller = try controller(section: "age")
        let sections = Sections()
        controller.delegate = sections
        context.delete(cy)
        context.processPendingChanges()
        #expect(sections.counts == [0])
    }

    /// A public test suite that runs on Apple's framework compares such dictionaries.
    @Test("j.5 the information of a section equals itself in a dictionary")
    func sectionEquality() throws {
        let controller = try controller(section: "age")
        func info() throws -> NSDictionary {
            NSDictionary(dictionary: ["info": try #require(controller.sections?.first)])
        }
        #expect(try info() == info())
    }

    /// [H]
    @Test("j.6 after a reset nothing is told until another fetch")
    func reset() throws {
        let controller = try controller()
        context.reset()
        _ = context.make("Author", ["name": "Dan"])
        context.processPendingChanges()
        #expect(witness.steps.isEmpty)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 4)
    }

    /// [CDP]
    @Test("j.7 refreshing all objects tells them as updated")
    func refreshAll() throws {
        let controller = try controller()
        context.refreshAllObjects()
        #expect(witness.types == [.update, .update, .update])
        withExtendedLifetime(controller) {}
    }

    @Test("j.13 objects that were not saved when the fetch ran are told as updated and moved like others")
    func unsaved() throws {
        let dan = context.make("Author", ["name": "Dan", "age": 5])
        let controller = try controller()
        dan.setValue(0, forKey: "age")
        context.processPendingChanges()
        #expect(witness.types == [.move])
        #expect(controller.fetchedObjects?.first === dan)
    }

    /// [FCD] A window is kept by fetching again.
    @Test("j.13 insertions that the fetch found before they were notified are not told again", arguments: [0, 9])
    func foundInsertions(limit: Int) throws {
        _ = context.make("Author", ["name": "Dan", "age": 5])
        let controller = try controller(limit: limit)
        context.processPendingChanges()
        try context.save()
        #expect(witness.steps.isEmpty)
        #expect(controller.fetchedObjects?.count == 4)
    }

    @Test("j.13 an insertion elsewhere that the fetch found before it is merged is not told again")
    func foundMergedInsertion() throws {
        let other = try #require(context.persistentStoreCoordinator).context()
        let dan = other.make("Author", ["name": "Dan", "age": 5])
        try other.save()
        let controller = try controller()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectsKey: [dan.objectID]], into: [context])
        context.processPendingChanges()
        #expect(witness.steps.isEmpty)
        #expect(controller.fetchedObjects?.count == 4)
    }

    /// [FCD]
    @Test("j.8 unrelated changes are not told")
    func unrelated() throws {
        let controller = try controller("age < 2")
        _ = context.make("Tag", ["label": "t"])
        cy.setValue("Cyrus", forKey: "name")
        context.processPendingChanges()
        try context.save()
        #expect(witness.steps.isEmpty)
        withExtendedLifetime(controller) {}
    }

    /// [H]
    @Test("j.8 a cache name changes nothing: sections are those of the objects as the context has them")
    func cacheName() throws {
        let coordinator = try Library.inMemory()
        let (context, pinned) = (coordinator.context(), coordinator.context())
        _ = context.make("Book", ["title": "a", "pages": 1])
        let second = context.make("Book", ["title": "b", "pages": 2])
        try context.save()
        try pinned.setQueryGenerationFrom(.current)
        _ = try pinned.all("Book")
        second.setValue(1, forKey: "pages")
        try context.save()
        func sections(_ context: NSManagedObjectContext) throws -> [String]? {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "pages", cacheName: "j.8")
            #expect(controller.cacheName == "j.8")
            try controller.performFetch()
            return controller.sections?.map { "\($0.name): \($0.numberOfObjects)" }
        }
        #expect(try sections(context) == ["1: 2"])
        #expect(try sections(pinned) == ["1: 1", "2: 1"])
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
        #expect(try sections(context) == ["1: 2"])
    }

    /// [H]
    @Test("the default index title is the first letter, and leads to its section")
    func indexTitles() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name", cacheName: nil)
        try controller.performFetch()
        #expect(controller.sectionIndexTitles == ["A", "B", "C"])
        #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 1)
        #expect(controller.sections?.map(\.indexTitle) == ["A", "B", "C"])
        let delegate = Titles()
        controller.delegate = delegate
        #expect(controller.sectionIndexTitles == ["a", "b", "y"])
    }
}

/// Titles by the last letter.
private final class Titles: NSObject, NSFetchedResultsControllerDelegate {
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { sectionName.last.map { String($0) } }
}
