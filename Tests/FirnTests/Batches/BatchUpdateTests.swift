import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A batch update")
struct BatchUpdateTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Sees what is in the store.
    let reader: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        reader = coordinator.context()
        for (index, name) in ["Ada", "Bob", "Cay"].enumerated() {
            _ = context.make(index == 2 ? "Poet" : "Author", ["name": name, "age": 30 + index])
        }
        try context.save()
    }

    private func update(_ values: [AnyHashable: Any]?, _ format: String? = nil) -> NSBatchUpdateRequest {
        let request = NSBatchUpdateRequest(entityName: "Author")
        request.propertiesToUpdate = values
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    private func ages() throws -> [Int?] {
        try reader.all("Author", sortedBy: "name").map { $0.number("age") }
    }

    @Test("sets constants and expressions on what its predicate finds")
    func values() throws {
        _ = try context.execute(update(["age": 40], "name == 'Bob'"))
        #expect(try ages() == [30, 40, 32])
        let age = try #require(coordinator.managedObjectModel.entitiesByName["Author"]?.attributesByName["age"])
        let (doubled, copied) = (NSExpression(format: "age * 2 + 1"), NSExpression(format: "age"))
        _ = try context.execute(update([age: doubled, "height": copied]))
        #expect(try ages() == [61, 81, 65])
        let heights = try reader.all("Author", sortedBy: "name").map { $0.number("height") }
        #expect(heights == [30, 40, 32])
        _ = try context.execute(update(["age": NSNull()], "age > 70"))
        #expect(try ages() == [61, nil, 65])
    }

    @Test("leaves subentities alone if asked to, and gives a status, IDs or a count")
    func results() throws {
        let request = update(["age": 1])
        #expect(try ((context.execute(request) as? NSBatchUpdateResult)?.result as? NSNumber)?.boolValue == true)
        request.resultType = .updatedObjectsCountResultType
        #expect(try ((context.execute(request) as? NSBatchUpdateResult)?.result as? NSNumber)?.intValue == 3)
        request.includesSubentities = false
        request.resultType = .updatedObjectIDsResultType
        let ids = try (context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID]
        #expect(Set((ids ?? []).map { context.object(with: $0).text("name") }) == ["Ada", "Bob"])
        #expect(request.entity.name == "Author")
    }

    @Test("is seen by a refreshed object, and conflicts with a stale one that is saved")
    func staleness() throws {
        let objects = try context.all("Author", sortedBy: "name")
        for object in objects { _ = object.value(forKey: "age") }
        _ = try context.execute(update(["age": 99]))
        #expect(objects[0].number("age") == 30)
        context.refresh(objects[0], mergeChanges: true)
        #expect(objects[0].number("age") == 99)
        objects[1].setValue("Bo", forKey: "name")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
    }

    @Test("is merged by a context that follows, the executing one too, and by hand by others")
    func merging() throws {
        context.automaticallyMergesChangesFromParent = true
        let other = coordinator.context()
        let (mine, theirs) = (try context.all("Author", sortedBy: "name"), try other.all("Author", sortedBy: "name"))
        for object in mine + theirs { _ = object.value(forKey: "age") }
        let request = update(["age": 99])
        request.resultType = .updatedObjectIDsResultType
        let ids = try #require(try (context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID])
        context.drain()
        #expect(mine.map { $0.number("age") } == [99, 99, 99])
        #expect(theirs.map { $0.number("age") } == [30, 31, 32])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [other])
        #expect(theirs.map { $0.number("age") } == [99, 99, 99])
    }

    @Test("stands in the history with the properties that it changed")
    func history() throws {
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        _ = try context.execute(update(["age": 1, "height": 2.0], "name == 'Ada'"))
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        let transactions = try #require(
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.count == 1)
        #expect(Set((transactions[0].changes?.first?.updatedProperties ?? []).map(\.name)) == ["age", "height"])
    }

    @Test("moves objects to the end of an ordered relationship")
    func relationship() throws {
        let authors = try context.all("Author", sortedBy: "name")
        for (title, author) in [("A", 0), ("B", 1), ("C", 1)] {
            context.make("Book", ["title": title]).setValue(authors[author], forKey: "author")
        }
        try context.save()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "author == %@", authors[0])
        request.propertiesToUpdate = ["author": authors[1].objectID]
        _ = try context.execute(request)
        let books = try reader.all("Author", sortedBy: "name")[1].books
        #expect(books.map { $0.text("title") } == ["B", "C", "A"])
    }

    nonisolated(unsafe) static let mistakes: [([AnyHashable: Any], String)] = [
        (["nothing": 1], "nothing"), (["books": NSNull()], "to-many"), (["age": "old"], "age"), ([:], "empty"),
        (["nickname": "Al"], "nickname"), (["age": NSExpression(format: "nothing + 1")], "nothing"),
        (["age": NSExpression(format: "name")], "age"), ([1: 1], "Int"),
    ]

    @Test("that makes no sense fails with the reason and changes nothing", arguments: mistakes.indices)
    func mistake(_ index: Int) throws {
        let (values, word) = Self.mistakes[index]
        let error = #expect(throws: NSError.self) { try context.execute(update(values)) }
        #expect(error?.localizedDescription.contains(word) == true, "\(String(describing: error))")
        #expect(try ages() == [30, 31, 32])
    }

    @Test("with a predicate that SQL cannot answer is refused")
    func unanswerable() throws {
        let request = update(["age": 1])
        request.predicate = NSPredicate { _, _ in true }
        #expect(throws: NSError.self) { try context.execute(request) }
        request.predicate = NSPredicate(format: "books.title == 'A'")
        #expect(throws: NSError.self) { try context.execute(request) }
        #expect(try ages() == [30, 31, 32])
    }
}
