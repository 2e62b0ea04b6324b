import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// Requests of fetched results controllers that foreign code makes.
@Suite("Conformance (m): requests of fetched results controllers")
struct ResultsFaultConformanceTests {
    private let context: NSManagedObjectContext
    private let witness = ListWitness()
    private let ada: NSManagedObject
    private let bob: NSManagedObject

    init() throws {
        context = try Library.inMemory().context()
        ada = context.make("Author", ["name": "Ada"])
        bob = context.make("Author", ["name": "Bob"])
        try context.save()
    }

    private func watched(
        _ request: NSFetchRequest<NSManagedObject>
    ) throws -> NSFetchedResultsController<NSManagedObject> { try witness.watched(request, in: context) }

    private func byName() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    private func isQuietAfterChange(_ request: NSFetchRequest<NSManagedObject>) throws -> Bool {
        request.shouldRefreshRefetchedObjects = true
        let controller = try watched(request)
        context.processPendingChanges()
        ada.setValue("Abe", forKey: "name")
        try context.save()
        context.processPendingChanges()
        witness.forget()
        for _ in 0..<3 { context.processPendingChanges() }
        return withExtendedLifetime(controller) { witness.steps.isEmpty }
    }

    @Test("m.13 a controller that refreshes and ignores pending changes falls silent after a change")
    func refreshing() throws {
        let request = byName()
        request.includesPendingChanges = false
        #expect(try isQuietAfterChange(request))
    }

    @Test("m.13 a controller that refreshes and has a limit falls silent after a change")
    func refreshingWithLimit() throws {
        let request = byName()
        request.fetchLimit = 5
        #expect(try isQuietAfterChange(request))
    }

    @Test("m.14 a controller without sort descriptors lists objects by their keys")
    func unsorted() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = []
        let controller = try watched(request)
        #expect(controller.fetchedObjects == [ada, bob])
        let cy = context.make("Author", ["name": "Aaron"])
        try context.save()
        #expect(witness.objects == [ada, bob, cy])
    }

    @Test("m.29 sections that go are told before the objects that were in them")
    func sectionsFirst() throws {
        let controller = try witness.watched(byName(), in: context, section: "name")
        context.delete(ada)
        try withExtendedLifetime(controller) { try context.save() }
        #expect(
            witness.steps == [
                .willChange, .section(.delete, 0, name: "Ada"),
                .object(.delete, ada, old: [0, 0], new: nil), .didChange,
            ])
    }
}
