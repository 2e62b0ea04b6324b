import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What the properties of a fetch request do.
@Suite("Conformance (d): a fetch request's properties")
struct FetchPropertyConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let writer: NSManagedObjectContext
    let context: NSManagedObjectContext

    /// Ten authors with two books each, every book with one tag of three.
    init() throws {
        coordinator = try Library.inMemory()
        writer = coordinator.context()
        context = coordinator.context()
        let tags = (0..<3).map { writer.make("Tag", ["label": "\($0)"]) }
        for index in 0..<10 {
            let author = writer.make("Author", ["name": "\(index)", "age": index])
            for part in 0..<2 {
                let book = writer.make("Book", ["title": "\(index).\(part)", "pages": index * 10 + part])
                book.setValue(author, forKey: "author")
                book.setValue(NSSet(object: tags[(index + part) % 3]), forKey: "tags")
            }
        }
        try writer.save()
        coordinator.evictRows()
    }

    private func request(_ entity: String, sortedBy key: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return request
    }

    /// How often the store was read while `body` ran.
    private func reads(_ body: () throws -> Void) rethrows -> Int {
        let before = coordinator.readCount
        try body()
        return coordinator.readCount - before
    }

    @Test("d.9 fetchBatchSize reads identities, and then as many rows at once when a fault fires")
    func batches() throws {
        let request = request("Book", sortedBy: "pages")
        request.fetchBatchSize = 8
        var books: [NSManagedObject] = []
        #expect(try reads { books = try context.fetch(request) } == 1)
        #expect(books.count == 20)
        #expect(books.filter { !$0.isFault }.isEmpty)
        #expect(reads { for book in books[0..<8] { _ = book.text("title") } } == 1)
        #expect(reads { _ = books[19].text("title") } == 1)
        #expect(reads { for book in books[16..<20] { _ = book.text("title") } } == 0)
        #expect(reads { for book in books[8..<16] { _ = book.text("title") } } == 1)
        #expect(books.map { $0.number("pages") } == books.indices.map { $0 / 2 * 10 + $0 % 2 })
    }

    @Test("d.9 a lazy collection makes objects when they are asked for, a batch at a time")
    func lazyCollection() throws {
        let request = request("Book", sortedBy: "pages")
        request.fetchBatchSize = 8
        let books = try context.lazyResults(of: request)
        #expect(books.count == 20)
        #expect(context.registeredObjects.isEmpty)
        #expect(reads { _ = books[3].text("title") } == 1)
        #expect(reads { _ = books[7].text("title") } == 0)
        #expect(reads { _ = books.last?.text("title") } == 1)
        #expect([3, 7, 19].map { books[$0].text("title") } == ["1.1", "3.1", "9.1"])
        try writer.performAndWait {
            writer.delete(writer.object(with: books[0].objectID))
            try writer.save()
        }
        #expect(books.count == 20)
        #expect(books[1].text("title") == "0.1")
    }

    @Test("d.8 prefetching reads once for each step, however many objects there are")
    func prefetching() throws {
        let request = request("Author", sortedBy: "age")
        request.relationshipKeyPathsForPrefetching = ["books.tags", "books"]
        var authors: [NSManagedObject] = []
        // Authors; books and their rows; links and tags.
        #expect(try reads { authors = try context.fetch(request) } == 5)
        var labels: [String?] = []
        #expect(
            reads {
                for author in authors {
                    for book in author.books {
                        let tags = book.value(forKey: "tags") as? Set<NSManagedObject>
                        labels.append(tags?.first?.text("label"))
                    }
                }
            } == 0)
        #expect(labels == (0..<10).flatMap { ["\($0 % 3)", "\(($0 + 1) % 3)"] })
    }

    @Test("d.8 prefetching follows a to-one, and ends at a key that is no relationship")
    func prefetchingToOne() throws {
        let request = request("Book", sortedBy: "pages")
        request.relationshipKeyPathsForPrefetching = ["author"]
        var books: [NSManagedObject] = []
        #expect(try reads { books = try context.fetch(request) } == 2)
        #expect(reads { for book in books { _ = book.value(forKeyPath: "author.name") } } == 0)
        request.relationshipKeyPathsForPrefetching = ["title", "unknown", "author.name"]
        #expect(throws: Never.self) { try context.fetch(request) }
    }

    @Test("d.8 prefetched members are forgotten when another save changes them")
    func prefetchedMembersAge() throws {
        let request = request("Author", sortedBy: "age")
        request.relationshipKeyPathsForPrefetching = ["books"]
        let authors = try context.fetch(request)
        let author = writer.object(with: authors[0].objectID)
        writer.make("Book", ["title": "late"]).setValue(author, forKey: "author")
        try writer.save()
        #expect(authors[0].books.map { $0.text("title") } == ["0.0", "0.1", "late"])
    }

    @Test("a refresh drops the properties that a fetch left with a fault", arguments: [false, true])
    func refreshedPartially(refreshesAll: Bool) throws {
        let request = request("Book", sortedBy: "pages")
        request.propertiesToFetch = ["title"]
        let book = try #require(try context.fetch(request).first)
        writer.object(with: book.objectID).setValue("new", forKey: "title")
        try writer.save()
        if refreshesAll { context.refreshAllObjects() } else { context.refresh(book, mergeChanges: true) }
        #expect(book.text("title") == "new")
    }

    @Test("d.11 propertiesToFetch of objects are there without the rest, which the first access to it reads")
    func partial() throws {
        let request = request("Book", sortedBy: "pages")
        request.propertiesToFetch = ["title"]
        let books = try context.fetch(request)
        #expect(reads { _ = books.map { $0.text("title") } } == 0)
        #expect(books[0].text("title") == "0.0")
        #expect(books.filter { !$0.isFault }.isEmpty)
        #expect(reads { _ = books[3].number("pages") } == 1)
        #expect(books[3].number("pages") == 11)
        #expect(!books[3].isFault)
        #expect(books[3].text("title") == "1.1")
        books[4].setValue("changed", forKey: "title")
        #expect(books[4].number("pages") == 20)
        try context.save()
        #expect(books[4].number("pages") == 20)
    }

    @Test("d.11 a merge ends what was fetched in part")
    func partialMerge() throws {
        let request = request("Book", sortedBy: "pages")
        request.propertiesToFetch = ["title"]
        let book = try context.fetch(request)[0]
        let id = book.objectID
        writer.object(with: id).setValue("new", forKey: "title")
        try writer.save()
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: [id]], into: [context])
        #expect(book.text("title") == "new")
    }

    @Test("d.7 returnsObjectsAsFaults decides if values are there, includesPropertyValues if they are read")
    func faults() throws {
        let request = request("Book", sortedBy: "pages")
        var books = try context.fetch(request)
        #expect(books.filter { !$0.isFault }.isEmpty)
        #expect(reads { _ = books[0].text("title") } == 0)
        request.returnsObjectsAsFaults = false
        books = try context.fetch(request)
        #expect(books.filter(\.isFault).isEmpty)
        coordinator.evictRows()
        let other = coordinator.context()
        request.returnsObjectsAsFaults = true
        request.includesPropertyValues = false
        let bare = try other.fetch(request)
        #expect(reads { _ = bare[0].text("title") } == 1)
    }

    @Test("execute() asks the context whose block it is in")
    func execute() throws {
        let request = request("Book", sortedBy: "pages")
        let found = try context.performAndWait { try request.execute() }
        #expect(found.count == 20)
        #expect(found.first?.managedObjectContext === context)
        let untyped = request.withResultType((any NSFetchRequestResult).self)
        #expect(try writer.performAndWait { try untyped.execute() }.count == 20)
    }

    @Test("A generic function without a constraint fetches, counts and executes")
    func unconstrained() throws {
        func found<T>(_ request: NSFetchRequest<T>) throws -> [Int] {
            let executed = try context.performAndWait { try request.execute() }
            return [try context.fetch(request).count, try context.count(for: request), executed.count]
        }
        let request = request("Book", sortedBy: "pages")
        #expect(try found(request) == [20, 20, 20])
        #expect(try found(request.withResultType((any NSFetchRequestResult).self)) == [20, 20, 20])
    }

    @Test("d.4 limits and offsets are exact over unsaved changes, in a child too")
    func window() throws {
        for book in try context.all("Book", sortedBy: "pages").prefix(2) { context.delete(book) }
        _ = context.make("Book", ["title": "new", "pages": 12])
        let request = request("Book", sortedBy: "pages")
        (request.fetchOffset, request.fetchLimit) = (1, 3)
        let expected = ["1.1", "new", "2.0"]
        #expect(try context.fetch(request).map { $0.text("title") } == expected)
        let child = context.makeChild()
        #expect(try child.performAndWait { try child.fetch(request).map { $0.text("title") } } == expected)
        request.includesPendingChanges = false
        #expect(try context.fetch(request).count == 3)
        #expect(try context.count(for: request) == 3)
    }

    @Test("nullRule says whether null is different from a value")
    func nulls() throws {
        _ = writer.make("Book")
        try writer.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title != '0.0'")
        #expect(try context.count(for: request) == 19)
        request.nullRule = .memory
        #expect(try context.count(for: request) == 20)
    }

    @Test("d.14 a request made by name has its entity after the fetch")
    func entity() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(request.entity == nil)
        _ = try context.fetch(request)
        #expect(request.entity === coordinator.managedObjectModel.entitiesByName["Book"])
    }
}
