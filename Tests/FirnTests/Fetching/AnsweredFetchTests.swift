import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

/// What stops the program, though a fetch of the same is answered.
@Suite("What a store answers stops no program")
struct AnsweredFetchTests {
    /// SortComparison.compare is `misuse` where two values have no order; NaN has none.
    @Test("a sort by an attribute that has NaN, with something unsaved")
    func sortOfNaN() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            for (name, height) in [("A", Double.nan), ("B", 1)] {
                _ = context.make("Author", ["name": name, "height": height])
            }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.sortDescriptors = [NSSortDescriptor(key: "height", ascending: true)]
            _ = try context.fetch(request)
            _ = context.make("Author", ["name": "C", "height": 2.0])
            _ = try context.fetch(request)
        }
    }

    /// SQL sorts by the key of the object; memory is `misuse`.
    @Test("a sort by a to-one relationship, with something unsaved, is refused as without")
    func sortOfObjects() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            for name in ["A", "B"] { _ = context.make("Book", ["author": context.make("Author", ["name": name])]) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true)]
            _ = try? context.fetch(request)
            _ = context.make("Book")
            _ = try? context.fetch(request)
        }
    }

    @Test("objects of several entities are sorted by their keys, with something unsaved as without")
    func sortOfSubentities() throws {
        let context = try Library.inMemory().context()
        for entity in ["Poet", "Author", "Poet", "Author"] {
            _ = context.make("Book", ["author": context.make(entity, ["name": entity])])
            try context.save()
        }
        for (entity, key) in [("Book", "author"), ("Author", "objectID"), ("Author", "self")] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: false)]
            let stored = try context.fetch(request).map(\.objectID)
            _ = context.make("Tag")
            #expect(try context.fetch(request).map(\.objectID) == stored)
            context.rollback()
        }
    }

    @Test("the absolute value of the least whole number is a great one")
    func leastNumber() throws {
        let word = ModelSketch.entity("Word", [ModelSketch.attribute("number", .integer64AttributeType)])
        let context = try Library.inMemory(ModelSketch.model(word)).context()
        for number in [Int.min, -5, 5] { _ = context.make("Word", ["number": number]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
        request.predicate = NSPredicate(format: "abs:(number) > 5")
        #expect(try context.count(for: request) == 1)
        try context.save()
        #expect(try context.count(for: request) == 1)
    }

    /// It stopped the program with something unsaved, and in a results controller.
    @Test("a sort by what has no order is refused", arguments: ["extra", "entity"])
    func sortWithoutOrder(_ key: String) throws {
        let word = ModelSketch.entity("Word", [ModelSketch.attribute("extra", .transformableAttributeType)])
        let context = try Library.inMemory(ModelSketch.model(word)).context()
        for number in 1...2 { _ = context.make("Word", ["extra": ["n": number]]) }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        #expect(throws: (any Error).self) { try context.fetch(request) }
    }

    @Test("a sort by the order of texts, of what is no text")
    func sortOfAddresses() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            for (name, worth) in [("b", 10), ("A", 9)] {
                let author = context.make("Author", ["name": name, "worth": Decimal(worth)])
                author.setValue(URL(string: "https://\(name).example"), forKey: "homepage")
            }
            try context.save()
            for key in ["homepage", "worth"] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.sortDescriptors = [
                    NSSortDescriptor(key: key, ascending: true, selector: Selector("caseInsensitiveCompare:"))
                ]
                #expect(try context.fetch(request).map { $0.text("name") } == ["A", "b"])
                _ = context.make("Tag")
                #expect(try context.fetch(request).map { $0.text("name") } == ["A", "b"])
                context.rollback()
            }
        }
    }

    /// Foundation stops the program where it makes a decimal of an infinite double.
    @Test("an infinite double next to a decimal: a predicate, a batch update, a value")
    func infinity() async {
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            let author = context.make("Author", ["height": Double.infinity, "worth": Decimal(1)])
            _ = try NSPredicate(format: "worth + height > 0").holds(for: author)
        }
        await #expect(processExitsWith: .success) {
            let context = try Library.inMemory().context()
            _ = context.make("Author", ["height": Double.infinity])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["worth": NSExpression(forKeyPath: "height")]
            _ = try? context.execute(update)
        }
        await #expect(processExitsWith: .success) {
            let author = try Library.inMemory().context().make("Author")
            author.setValue(Double.infinity, forKey: "worth")
        }
    }

    @Test("a dictionary fetch without named properties has all attributes, be the list of them nil or empty")
    func noProperties() async {
        await #expect(processExitsWith: .success) {
            let coordinator = try Library.inMemory()
            let context = coordinator.context()
            _ = context.make("Book", ["title": "A", "pages": 3])
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = []
            #expect(try context.fetch(request).map { $0["title"] as? String } == ["A"])
            #expect(try context.count(for: request) == 1)
            _ = try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
            #expect(try context.fetch(request).map(\.count) == [2])
        }
    }

    @Test("a dictionary fetch of an entity without attributes is an error")
    func noAttributes() async {
        await #expect(processExitsWith: .success) {
            let (shelf, slot) = (ModelSketch.entity("Shelf", []), ModelSketch.entity("Slot", []))
            ModelSketch.relate(shelf, "slots", toMany: slot, "shelf")
            let context = try Library.inMemory(ModelSketch.model(shelf, slot)).context()
            _ = context.make("Shelf")
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Shelf")
            request.resultType = .dictionaryResultType
            #expect(throws: (any Error).self) { try context.fetch(request) }
        }
    }

    @Test("a results controller keeps an object whose URI it was fetched by")
    func uri() throws {
        let context = try Library.inMemory().context()
        let author = context.make("Author", ["name": "A", "homepage": URL(string: "https://a.example") as Any])
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "homepage BEGINSWITH 'https'")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = Listening()
        controller.delegate = delegate
        try controller.performFetch()
        author.setValue("B", forKey: "name")
        try context.save()
        #expect(controller.fetchedObjects?.count == 1)
    }
}

private final class Listening: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}
