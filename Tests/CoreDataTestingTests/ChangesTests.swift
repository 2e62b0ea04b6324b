import CoreData
import CoreDataTesting
import Synchronization
import Testing

@Suite("The changes of a container as text")
struct ChangesTests {
    private static let fixture = Result { () throws -> NSPersistentContainer in
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try container.load()
        try container.save { context in
            let author = Shelf.make("Author", ["name": "Jane Austen"], context)
            _ = Shelf.make("Book", ["title": "Emma", "pages": 474, "author": author], context)
        }
        return container
    }

    private let container: NSPersistentContainer

    init() throws { container = try Self.fixture.get().fork() }

    @Test("are each save since the fork, with its author, context and metadata, and the objects with their values")
    func sinceFork() throws {
        #expect(container.changes() == "Nothing was saved.")
        try container.save { context in
            (context.transactionAuthor, context.name) = ("test", "view")
            context.transactionMetadata = ["request": "7"]
            let emma = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0]
            emma.setValue(475, forKey: "pages")
            _ = Shelf.make("Book", ["title": "Persuasion", "author": emma.value(forKey: "author") as Any], context)
        }
        let first = """
            record 3, by test, in the context view, request = 7
              created Book/2: author Author/1 “Jane Austen”, title "Persuasion"
              changed Author/1 “Jane Austen”: books + Book/2 “Persuasion”
              changed Book/1 “Emma”: pages 474 → 475
            """
        #expect(container.changes() == first)
        try container.save { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", "Persuasion")
            for book in try context.fetch(request) { context.delete(book) }
        }
        let second = """
            record 4
              changed Author/1 “Jane Austen”: books − Book/2
              deleted Book/2 “Persuasion”
            """
        // What is deleted has no name any more.
        let unnamed = first.replacing("+ Book/2 “Persuasion”", with: "+ Book/2")
        #expect(container.changes() == unnamed + "\n" + second)
    }

    @Test("are those after a token, and all of a container that is no fork")
    func sinceToken() throws {
        try container.save { _ = Shelf.make("Author", ["name": "A"], $0) }
        let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        try container.save { _ = Shelf.make("Author", ["name": "B"], $0) }
        #expect(container.changes(since: token) == "record 4\n  created Author/3: name \"B\"")
        #expect(try Self.fixture.get().changes().hasPrefix("record 2\n  created"))
    }

    @Test("of many objects in one save are their numbers")
    func many() throws {
        try container.save { context in
            for number in 0..<21 { _ = Shelf.make("Author", ["name": "\(number)"], context) }
        }
        #expect(container.changes() == "record 3\n  created 21 Author")
    }

    @Test("are shown with each failure of a test with the trait, with each of its forks")
    func trait() async throws {
        let comments = Mutex<[String]>([])
        let outer = IssueHandlingTrait.compactMapIssues { issue in
            comments.withLock { $0 += issue.comments.map(\.rawValue) }
            return nil
        }
        let test = try #require(Test.current)
        try await outer.provideScope(for: test, testCase: nil) {
            try await ChangesTrait.printsChanges.provideScope(for: test, testCase: nil) {
                Issue.record("before")
                let forks = [try container.fork(), try container.fork()]
                try forks[1].save { _ = Shelf.make("Author", ["name": "B"], $0) }
                Issue.record("after")
            }
        }
        let expected = [
            "before", "after",
            "Saved into the fork 1:\nNothing was saved.\n"
                + "Saved into the fork 2:\nrecord 3\n  created Author/2: name \"B\"",
        ]
        #expect(comments.withLock { $0 } == expected)
    }
}

/// Authors with books.
private enum Shelf {
    static let model = {
        let author = entity("Author", [("name", .stringAttributeType)])
        let book = entity("Book", [("title", .stringAttributeType), ("pages", .integer64AttributeType)])
        let (books, writer) = (NSRelationshipDescription(), NSRelationshipDescription())
        (books.name, books.destinationEntity, books.inverseRelationship) = ("books", book, writer)
        (writer.name, writer.destinationEntity, writer.inverseRelationship) = ("author", author, books)
        writer.maxCount = 1
        author.properties.append(books)
        book.properties.append(writer)
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }()

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
            return attribute
        }
        return entity
    }

    static func make(_ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }
}

extension NSPersistentContainer {
    fileprivate func load() throws {
        var failure: (any Error)?
        loadPersistentStores { failure = failure ?? $1 }
        if let failure { throw failure }
    }

    /// Saves what `body` changes in a new context.
    fileprivate func save(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = newBackgroundContext()
        try context.performAndWait {
            try body(context)
            try context.save()
        }
    }
}
