import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("A batch delete")
struct BatchDeleteTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Sees what is in the store.
    let reader: NSManagedObjectContext

    /// Ada wrote A and B, Eve C; A has the tags x and y, C has x.
    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
        reader = coordinator.context()
        let tags = ["x", "y"].map { context.make("Tag", ["label": $0]) }
        for (name, titles) in [("Ada", ["A", "B"]), ("Eve", ["C"])] {
            let author = context.make("Author", ["name": name])
            for title in titles {
                let book = context.make("Book", ["title": title])
                book.setValue(author, forKey: "author")
                let given = title == "A" ? tags : title == "C" ? [tags[0]] : []
                book.setValue(NSSet(array: given), forKey: "tags")
            }
        }
        try context.save()
    }

    private func delete(_ entity: String, _ format: String) -> NSBatchDeleteRequest {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = NSPredicate(format: format)
        return NSBatchDeleteRequest(fetchRequest: fetch)
    }

    @Test("follows cascades, empties inverses and takes links away")
    func rules() throws {
        let request = delete("Author", "name == 'Ada'")
        request.resultType = .resultTypeCount
        #expect(try ((context.execute(request) as? NSBatchDeleteResult)?.result as? NSNumber)?.intValue == 3)
        #expect(try reader.strings("Author", "name") == ["Eve"])
        #expect(try reader.strings("Book", "title") == ["C"])
        let books = try reader.all("Tag", sortedBy: "label").map { ($0.value(forKey: "books") as? NSSet)?.count }
        #expect(books == [1, 0])
    }

    @Test("takes a limit, IDs, and IDs of what is gone")
    func forms() throws {
        let books = try context.all("Book", sortedBy: "title")
        let ids = books.map(\.objectID)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        fetch.fetchLimit = 1
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try reader.strings("Book", "title") == ["A", "B"])
        let request = NSBatchDeleteRequest(objectIDs: ids)
        request.resultType = .resultTypeObjectIDs
        let gone = try (context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
        #expect(Set(gone ?? []) == Set(ids.prefix(2)))
        request.resultType = .resultTypeCount
        #expect(try ((context.execute(request) as? NSBatchDeleteResult)?.result as? NSNumber)?.intValue == 0)
        _ = try context.execute(NSBatchDeleteRequest(objectIDs: []))
    }

    @Test("is merged by contexts that follow, members of relationships too")
    func merging() throws {
        context.automaticallyMergesChangesFromParent = true
        let tag = try context.all("Tag", sortedBy: "label")[0]
        let author = try context.all("Author", sortedBy: "name")[0]
        let book = try #require(try context.all("Book", sortedBy: "title").first)
        #expect((tag.value(forKey: "books") as? NSSet)?.count == 2)
        #expect(author.books.count == 2)
        _ = try context.execute(delete("Book", "title == 'A'"))
        context.drain()
        #expect(book.isDeleted)
        #expect((tag.value(forKey: "books") as? NSSet)?.count == 1)
        #expect(author.books.count == 1)
    }

    enum Use: CaseIterable { case unread, read, changed }

    /// Objects that were related to deleted ones. The batch itself changes their versions in the store.
    @Test(
        "leaves related objects that can be changed, once the deleted IDs are merged", arguments: Use.allCases,
        [false, true])
    func survivors(_ use: Use, _ isChild: Bool) throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .nullifyDeleteRule
        let root = try Library.inMemory(model).context()
        let author = root.make("Author", ["name": "Ada"])
        let tag = root.make("Tag", ["label": "x"])
        for title in ["A", "B", "C"] {
            let book = root.make("Book", ["title": title])
            book.setValue(author, forKey: "author")
            book.setValue(NSSet(array: [tag]), forKey: "tags")
        }
        try root.save()
        let context = isChild ? root.makeChild() : root
        context.refreshAllObjects()
        let held = try ["Book", "Author", "Tag"].flatMap { try context.all($0, sortedBy: nil) }
        for object in held {
            for key in object.entity.attributesByName.keys { _ = object.value(forKey: key) }
            if use == .unread { continue }
            for key in object.entity.relationshipsByName.keys { _ = object.value(forKey: key) }
        }
        func change() {
            for object in held where !object.isDeleted {
                switch object.entity.name {
                case "Book": object.setValue((object.number("pages") ?? 0) + 1, forKey: "pages")
                case "Author": object.setValue((object.number("age") ?? 0) + 1, forKey: "age")
                default: object.setValue("x!", forKey: "label")
                }
            }
        }
        for (entity, format) in [("Book", "title == 'A'"), ("Tag", "label BEGINSWITH 'x'"), ("Author", "name == 'Ada'")]
        {
            if use == .changed { change() }
            let request = delete(entity, format)
            request.resultType = .resultTypeObjectIDs
            let ids = try (root.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: ids ?? []], into: isChild ? [root, context] : [root])
            if use != .changed { change() }
            try context.save()
            try root.save()
        }
        #expect(try context.all("Book").map { $0.number("pages") } == [3, 3])
        #expect(held.filter { !$0.isDeleted }.count == 2)
    }

    @Test("stands in the history with the tombstones' values")
    func history() throws {
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        _ = try context.execute(delete("Book", "title == 'B'"))
        let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        let transactions = try #require(
            (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.count == 1)
        #expect(Set((transactions[0].changes ?? []).map(\.changeType)) == [.delete, .update])
    }

    @Test("gives what a rebuild from the log gives")
    func rebuild() throws {
        let directory = try TemporaryDirectory()
        let first = try Library.onDisk(directory)
        let writer = first.context()
        let ada = writer.make("Author", ["name": "Ada"])
        let tag = writer.make("Tag", ["label": "x"])
        try writer.save()
        _ = try writer.execute(
            NSBatchInsertRequest(
                entityName: "Book", objects: (0..<20).map { ["title": "\($0)", "pages": $0, "author": ada.objectID] }))
        for book in try writer.all("Book") { book.setValue(NSSet(object: tag), forKey: "tags") }
        try writer.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "pages > 10")
        update.propertiesToUpdate = ["pages": NSExpression(format: "pages + 100")]
        _ = try writer.execute(update)
        _ = try writer.execute(delete("Book", "pages BETWEEN {5, 8}"))
        func state(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
            let reader = coordinator.context()
            return try reader.all("Book", sortedBy: "title").map { book in
                let tags = (book.value(forKey: "tags") as? NSSet)?.count ?? 0
                let pages = book.number("pages") ?? 0
                return "\(book.text("title") ?? "") \(pages) \(tags) \(book.objectID.uriRepresentation())"
            }
        }
        let before = try state(first)
        #expect(before.count == 16)
        for store in first.persistentStores { try first.remove(store) }
        try directory.file("Library.sqlite").discardTables()
        #expect(try state(Library.onDisk(directory)) == before)
    }

    @Test("posts a remote change where the store was asked to")
    func remoteChange() async throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(
            directory, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let changes = RemoteChanges(coordinator)
        _ = try coordinator.context().execute(NSBatchInsertRequest(entityName: "Tag", objects: [["label": "x"]]))
        #expect(await changes.next()?.token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    private func ruled(
        _ rule: NSDeleteRule, mandatory: Bool = false
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let model = ModelSketch.correspondence()
        let person = try #require(model.entitiesByName["Person"])
        person.relationshipsByName["letters"]?.deleteRule = rule
        model.entitiesByName["Letter"]?.relationshipsByName["sender"]?.isOptional = !mandatory
        let coordinator = try Library.inMemory(model)
        let context = coordinator.context()
        context.make("Letter", ["text": "Dear"]).setValue(context.make("Person", ["name": "Ada"]), forKey: "sender")
        try context.save()
        return (coordinator, context)
    }

    @Test("is refused by a deny rule, and by a mandatory inverse, as a whole")
    func refused() throws {
        for (rule, mandatory, code) in [
            (NSDeleteRule.denyDeleteRule, false, NSValidationRelationshipDeniedDeleteError),
            (.nullifyDeleteRule, true, NSValidationMissingMandatoryPropertyError),
        ] {
            let (coordinator, context) = try ruled(rule, mandatory: mandatory)
            let error = #expect(throws: NSError.self) { try context.execute(delete("Person", "TRUEPREDICATE")) }
            #expect(error?.code == code)
            #expect(try coordinator.context().all("Person").count == 1)
        }
    }

    @Test("is of the stores that its fetch request asks, and a limit counts the objects of all")
    func severalStores() throws {
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        func add(_ labels: String...) throws {
            for label in labels { context.assign(context.make("Tag", ["label": label]), to: second) }
            try context.save()
        }
        func left() throws -> [String?] { try reader.all("Tag", sortedBy: "label").map { $0.text("label") } }
        try add("v", "w")
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        fetch.affectedStores = [second]
        _ = try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try left() == ["x", "y"])

        try add("w", "z")
        fetch.affectedStores = nil
        fetch.fetchLimit = 2
        fetch.sortDescriptors = [NSSortDescriptor(key: "label", ascending: false)]
        let delete = NSBatchDeleteRequest(fetchRequest: fetch)
        delete.resultType = .resultTypeCount
        #expect(try ((context.execute(delete) as? NSBatchDeleteResult)?.result as? NSNumber)?.intValue == 2)
        #expect(try left() == ["w", "x"])
    }

    @Test("ends a relationship that is its own inverse on both sides")
    func ownInverse() throws {
        let person = ModelSketch.entity("Person", [ModelSketch.attribute("name")])
        let friends = NSRelationshipDescription()
        (friends.name, friends.destinationEntity) = ("friends", person)
        friends.inverseRelationship = friends
        person.properties.append(friends)
        let coordinator = try Library.inMemory(ModelSketch.model(person))
        let context = coordinator.context()
        let people = ["Ada", "Bob", "Cay"].map { context.make("Person", ["name": $0]) }
        people[0].setValue(Set([people[1]]), forKey: "friends")
        people[2].setValue(Set([people[1]]), forKey: "friends")
        try context.save()
        func friendCounts() throws -> [Int?] {
            let context = coordinator.context()
            return try withExtendedLifetime(context) {
                try context.all("Person", sortedBy: "name").map { ($0.value(forKey: "friends") as? NSSet)?.count }
            }
        }
        #expect(try friendCounts() == [1, 2, 1])
        _ = try context.execute(delete("Person", "name == 'Ada'"))
        #expect(try friendCounts() == [1, 1])
    }

    @Test("leaves a dangling reference where the rule is no action")
    func noAction() throws {
        let (coordinator, context) = try ruled(.noActionDeleteRule)
        _ = try context.execute(delete("Person", "TRUEPREDICATE"))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Letter")
        request.predicate = NSPredicate(format: "sender != nil")
        #expect(try coordinator.context().count(for: request) == 1)
    }
}
