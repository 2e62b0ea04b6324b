import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A batch insert")
struct BatchInsertTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Sees what is in the store.
    let reader: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        reader = coordinator.context()
    }

    private func run(_ request: NSBatchInsertRequest) throws -> Any? {
        try (context.execute(request) as? NSBatchInsertResult)?.result
    }

    private func titles() throws -> [String?] { try context.all("Book", sortedBy: "title").map { $0.text("title") } }

    @Test("takes dictionaries, a dictionary handler, an object handler and a sequence")
    func forms() throws {
        _ = try run(NSBatchInsertRequest(entityName: "Book", objects: [["title": "A", "pages": 1], ["title": "B"]]))
        var left = ["C", "D"]
        _ = try run(
            NSBatchInsertRequest(entityName: "Book") { (row: NSMutableDictionary) in
                guard !left.isEmpty else { return true }
                row["title"] = left.removeFirst()
                return false
            })
        left = ["E", "F"]
        _ = try run(
            NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
                guard !left.isEmpty else { return true }
                book.setValue(left.removeFirst(), forKey: "title")
                return false
            })
        _ = try run(
            NSBatchInsertRequest(entityName: "Book", rows: ["G", "H"]) { title, row in
                row.set("title", title)
                row.set("pages", 7)
            })
        #expect(try titles() == ["A", "B", "C", "D", "E", "F", "G", "H"])
        let pages = try context.all("Book", sortedBy: "title").map { $0.number("pages") }
        #expect(pages == [1, nil, nil, nil, nil, nil, 7, 7])
    }

    @Test("keeps decimals in columns of doubles, and doubles in columns of decimals, to the last digit")
    func decimalsAndDoubles() throws {
        let height = NSDecimalNumber(string: "-848.9913028648543")
        _ = try run(NSBatchInsertRequest(entityName: "Author", objects: [["height": height, "worth": 3.14]]))
        _ = context.make("Author", ["height": height, "worth": 3.14])
        try context.save()
        let authors = try reader.all("Author")
        #expect(authors.map { $0.value(forKey: "height") as? Double } == [-848.9913028648543, -848.9913028648543])
        #expect(authors.map { ($0.value(forKey: "worth") as? NSDecimalNumber)?.stringValue } == ["3.14", "3.14"])
    }

    @Test("keeps a value of every type", arguments: [true, false])
    func types(isTyped: Bool) throws {
        let (id, date, data) = (UUID(), Date(timeIntervalSinceReferenceDate: 5), Data([1, 0, 2]))
        let url = try #require(URL(string: "https://example.org/ada"))
        let request =
            isTyped
            ? NSBatchInsertRequest(entityName: "Author", rows: [1]) { _, row in
                row.set("name", "Ada")
                row.set("age", 36)
                row.set("born", date)
                row.set("isAlive", true)
                row.set("height", 1.5)
                row.set("portrait", data)
                row.set("id", id)
                row.set("worth", any: Decimal(string: "10.25"))
                row.set("homepage", any: url)
            }
            : NSBatchInsertRequest(
                entityName: "Author",
                objects: [
                    [
                        "name": "Ada", "age": 36, "born": date, "isAlive": true, "height": 1.5, "portrait": data,
                        "id": id, "worth": Decimal(string: "10.25") as Any, "homepage": url,
                    ]
                ])
        _ = try run(request)
        let author = try #require(try context.all("Author").first)
        #expect(author.text("name") == "Ada")
        #expect(author.number("age") == 36)
        #expect(author.value(forKey: "born") as? Date == date)
        #expect((author.value(forKey: "isAlive") as? NSNumber)?.boolValue == true)
        #expect((author.value(forKey: "height") as? NSNumber)?.doubleValue == 1.5)
        #expect(author.value(forKey: "portrait") as? Data == data)
        #expect(author.value(forKey: "id") as? UUID == id)
        #expect((author.value(forKey: "worth") as? NSDecimalNumber)?.stringValue == "10.25")
        #expect(author.value(forKey: "homepage") as? URL == url)
    }

    @Test("gives a status, the IDs or the count")
    func results() throws {
        let rows: [[String: Any]] = [["title": "A"], ["title": "B"]]
        let request = NSBatchInsertRequest(entityName: "Book", objects: rows)
        #expect(try (run(request) as? NSNumber)?.boolValue == true)
        request.resultType = .count
        #expect(try (run(request) as? NSNumber)?.intValue == 2)
        request.resultType = .objectIDs
        let ids = try #require(try run(request) as? [NSManagedObjectID])
        #expect(ids.map { context.object(with: $0).text("title") } == ["A", "B"])
        #expect(request.entity?.name == "Book")
    }

    @Test("of an object with a relationship fails")
    func objectWithRelationship() throws {
        let author = try #require(coordinator.managedObjectModel.entitiesByName["Author"])
        let request = NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
            book.setValue(NSManagedObject(entity: author, insertInto: nil), forKey: "author")
            return false
        }
        let error = #expect(throws: NSError.self) { try context.execute(request) }
        #expect(error?.localizedDescription.contains("author") == true)
    }

    @Test("takes what an object's primitive setters set")
    func primitives() throws {
        var isDone = false
        _ = try run(
            NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
                book.setPrimitiveValue("A", forKey: "title")
                defer { isDone = true }
                return isDone
            })
        #expect(try titles() == ["A"])
    }

    @Test("of nothing writes nothing")
    func nothing() throws {
        let before = coordinator.currentPersistentHistoryToken(fromStores: nil)
        let request = NSBatchInsertRequest(entityName: "Book", objects: [])
        request.resultType = .count
        #expect(try (run(request) as? NSNumber)?.intValue == 0)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == before)
    }

    @Test("sets a to-one by object ID, last in an ordered inverse")
    func relationship() throws {
        let ada = context.make("Author", ["name": "Ada"])
        context.make("Book", ["title": "First"]).setValue(ada, forKey: "author")
        try context.save()
        _ = try run(
            NSBatchInsertRequest(
                entityName: "Book",
                objects: [["title": "Second", "author": ada.objectID], ["title": "Third", "author": ada]]))
        let books = try reader.all("Author")[0].books
        #expect(books.map { $0.text("title") } == ["First", "Second", "Third"])
    }

    nonisolated(unsafe) static let mistakes: [([String: Any], String)] = [
        (["title": "A", "nothing": 1], "nothing"), (["title": 5], "title"), (["pages": "many"], "pages"),
        (["pages": 1 << 40], "pages"), (["tags": [1]], "tags"), (["author": "Ada"], "author"),
    ]

    @Test(
        "with a mistake in one row fails with the reason, and nothing of it is written", arguments: mistakes.indices)
    func mistake(_ index: Int) throws {
        let (row, key) = Self.mistakes[index]
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Good"], row])
        let error = #expect(throws: NSError.self) { try context.execute(request) }
        #expect(error?.localizedDescription.contains("\"\(key)\"") == true, "\(String(describing: error))")
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
    }

    @Test("of typed rows fails for a value of another type, an unknown property and one that is set twice")
    func typedMistakes() throws {
        let fills: [(Int, inout BatchRow) -> Void] = [
            { _, row in row.set("title", 5) }, { _, row in row.set("nothing", "x") },
            { _, row in row.set("pages", 1 << 40) },
            { _, row in
                row.set("title", "x")
                row.set("title", "y")
            },
        ]
        for fill in fills {
            #expect(throws: NSError.self) {
                try context.execute(NSBatchInsertRequest(entityName: "Book", rows: 0..<3, fill: fill))
            }
        }
        #expect(try titles() == [])
    }

    @Test("does not know an entity that the model does not have")
    func unknownEntity() {
        let error = #expect(throws: NSError.self) {
            try context.execute(NSBatchInsertRequest(entityName: "Bok", objects: [["title": "A"]]))
        }
        #expect(error?.localizedDescription.contains("Book") == true)
    }

    @Test("is heard of by contexts that follow, and merged by hand into others")
    func following() throws {
        let follower = coordinator.context()
        follower.automaticallyMergesChangesFromParent = true
        let other = coordinator.context()
        nonisolated(unsafe) var seen: [Set<String>] = []
        let watches = [follower, other].map { context in
            Watch(.NSManagedObjectContextObjectsDidChange, context) { note in
                seen.append(Set((note.objects(NSInsertedObjectsKey) ?? []).compactMap { $0.text("title") }))
            }
        }
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "A"], ["title": "B"]])
        request.resultType = .objectIDs
        let ids = try #require(try run(request) as? [NSManagedObjectID])
        follower.drain()
        #expect(seen == [["A", "B"]])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [other])
        #expect(seen == [["A", "B"], ["A", "B"]])
        withExtendedLifetime(watches) {}
    }

    @Test("is one transaction of the history, with its author")
    func history() throws {
        context.transactionAuthor = "importer"
        _ = try run(NSBatchInsertRequest(entityName: "Book", objects: [["title": "A"], ["title": "B"]]))
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.author) == ["importer"])
        #expect(transactions.first?.changes?.map(\.changeType) == [.insert, .insert])
    }

    @Test("in a child context goes to the store")
    func child() throws {
        let child = context.makeChild()
        try child.performAndWait {
            _ = try child.execute(NSBatchInsertRequest(entityName: "Book", objects: [["title": "A"]]))
        }
        #expect(try titles() == ["A"])
    }
}
