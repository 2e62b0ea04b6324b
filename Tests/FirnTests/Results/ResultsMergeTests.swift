import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

@Suite("A controller and a merged deletion")
struct ResultsMergeTests {
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        let coordinator = try Library.inMemory()
        (context, other) = (coordinator.context(), coordinator.context())
    }

    private func watched(
        _ entity: String, _ predicate: NSPredicate, _ key: String, _ witness: ListWitness
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try witness.watched(request, in: context)
    }

    private func deleteElsewhere(_ object: NSManagedObject) throws {
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [context] in context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        other.delete(other.object(with: object.objectID))
        try other.save()
    }

    @Test("An object that was given to a deleted one comes back to the list of its stored owner")
    func owner() throws {
        let (ann, bob) = (context.make("Author", ["name": "Ann"]), context.make("Author", ["name": "Bob"]))
        let book = context.make("Book", ["title": "A"])
        book.setValue(ann, forKey: "author")
        try context.save()
        let (books, authors) = (ListWitness(), ListWitness())
        let controllers = [
            try watched("Book", NSPredicate(format: "author == %@", ann), "title", books),
            try watched("Author", NSPredicate(format: "books.@count > 0"), "name", authors),
        ]
        book.setValue(bob, forKey: "author")
        context.processPendingChanges()
        #expect(books.objects.isEmpty)

        try deleteElsewhere(bob)
        #expect(book.value(forKey: "author") as? NSManagedObject === ann)
        withExtendedLifetime(controllers) {
            #expect(books.objects == [book])
            #expect(authors.objects == [ann])
        }
    }

    @Test("A new object leaves a list when its only member is deleted elsewhere")
    func member() throws {
        let book = context.make("Book", ["title": "A"])
        try context.save()
        let witness = ListWitness()
        let controller = try watched("Author", NSPredicate(format: "books.@count > 0"), "name", witness)
        let new = context.make("Author", ["name": "New"])
        book.setValue(new, forKey: "author")
        context.processPendingChanges()
        #expect(witness.objects == [new])

        try deleteElsewhere(book)
        withExtendedLifetime(controller) { #expect(witness.objects.isEmpty) }
    }
}
