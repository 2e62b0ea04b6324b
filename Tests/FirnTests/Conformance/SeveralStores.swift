import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Conformance (d): a fetch from several stores")
struct SeveralStoresConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    /// Even books in one store, odd ones in the other.
    init() throws {
        coordinator = try Library.inMemory()
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = coordinator.context()
        for pages in 0..<10 {
            context.assign(context.make("Book", ["pages": pages]), to: coordinator.persistentStores[pages % 2])
        }
        try context.save()
    }

    private func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        return request
    }

    @Test("is sorted and cut as one")
    func window() throws {
        let request = request()
        (request.fetchOffset, request.fetchLimit) = (2, 3)
        #expect(try context.fetch(request).map { $0.number("pages") } == [7, 6, 5])
        #expect(try context.count(for: request) == 3)
    }

    @Test("d.13 asks the affected stores only")
    func affected() throws {
        let request = request()
        request.affectedStores = [coordinator.persistentStores[1]]
        #expect(try context.fetch(request).map { $0.number("pages") } == [9, 7, 5, 3, 1])
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 0]
        update.affectedStores = [coordinator.persistentStores[0]]
        update.resultType = .updatedObjectsCountResultType
        #expect(try ((context.execute(update) as? NSBatchUpdateResult)?.result as? NSNumber)?.intValue == 5)
    }

    @Test("m.42 an ID leads to the object of its own store, not to one of another store with the same key")
    func sameKeys() throws {
        let zero = try #require(try context.fetch(request()).last)
        let reader = coordinator.context()
        let request = request()
        for (format, value) in [("SELF == %@", zero.objectID as Any), ("SELF IN %@", [zero]), ("SELF == %@", zero)] {
            request.predicate = NSPredicate(format: format, argumentArray: [value])
            #expect(try reader.fetch(request).map { $0.number("pages") } == [0])
            #expect(try reader.count(for: request) == 1)
        }
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.predicate = NSPredicate(format: "SELF == %@", zero.objectID)
        update.propertiesToUpdate = ["pages": 10]
        update.resultType = .updatedObjectsCountResultType
        #expect(try ((context.execute(update) as? NSBatchUpdateResult)?.result as? NSNumber)?.intValue == 1)
        _ = try context.execute(NSBatchDeleteRequest(objectIDs: [zero.objectID]))
        request.predicate = nil
        #expect(try reader.fetch(request).map { $0.number("pages") } == [9, 8, 7, 6, 5, 4, 3, 2, 1])
        request.predicate = NSPredicate(format: "SELF != %@", zero.objectID)
        #expect(try reader.count(for: request) == 9)
    }

    @Test("m.42 a child reads what a new object in the second store leads to")
    func childOfTwoStores() throws {
        let second = coordinator.persistentStores[1]
        let author = context.make("Author", ["name": "Ada"])
        context.assign(author, to: second)
        try context.save()
        let book = context.make("Book", ["title": "Notes", "author": author])
        context.assign(book, to: second)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.performAndWait {
            let notes = try #require(try child.all("Book").first { $0.text("title") == "Notes" })
            let ada = try #require(notes.value(forKey: "author") as? NSManagedObject)
            #expect(ada.objectID == author.objectID)
            #expect(ada.text("name") == "Ada")
        }
    }

    @Test("m.42 an object whose saved deletion is undone goes back into its store")
    func undone() throws {
        let second = coordinator.persistentStores[1]
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let one = try #require(try context.fetch(request()).first { $0.number("pages") == 1 })
        manager.beginUndoGrouping()
        context.delete(one)
        context.processPendingChanges()
        manager.endUndoGrouping()
        try context.save()
        context.undo()
        try context.save()
        #expect(one.objectID.persistentStore === second)
        let request = request()
        request.affectedStores = [second]
        #expect(try context.fetch(request).map { $0.number("pages") } == [9, 7, 5, 3, 1])
    }

    @Test("m.42 a parent's new object whose deletion by a child is undone goes into the store that it was assigned to")
    func undoneInChild() throws {
        let second = coordinator.persistentStores[1]
        let eleven = context.make("Book", ["pages": 11])
        context.assign(eleven, to: second)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let manager = UndoManager()
        manager.groupsByEvent = false
        child.undoManager = manager
        try child.performAndWait {
            let book = try #require(try child.fetch(self.request()).first { $0.number("pages") == 11 })
            manager.beginUndoGrouping()
            child.delete(book)
            child.processPendingChanges()
            manager.endUndoGrouping()
            try child.save()
            child.undo()
            try child.save()
        }
        try context.save()
        let request = request()
        request.affectedStores = [second]
        #expect(try context.fetch(request).map { $0.number("pages") } == [11, 9, 7, 5, 3, 1])
    }

    @Test("m.42 an object is checked for conflicts by a save that writes another store, before it writes anything")
    func checkedInAnotherStore() throws {
        let one = try #require(try context.fetch(request()).first { $0.number("pages") == 1 })
        let other = coordinator.context()
        let theirs = try other.existingObject(with: one.objectID)
        theirs.setValue(11, forKey: "pages")
        try other.save()
        context.detectConflicts(for: one)
        context.assign(context.make("Book", ["pages": 12]), to: coordinator.persistentStores[0])
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try other.all("Book").count == 10)
    }

    /// Nobody writes a store by a coordinator for which it is read only: others do.
    @Test("m.42 an object of a store that is read only is checked too", arguments: [false, true], [false, true])
    func checkedInReadOnlyStore(_ isAlone: Bool, _ isOverwritten: Bool) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("Library.sqlite")
        let writers = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        _ = try writers.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let writer = writers.context()
        let theirs = writer.make("Book", ["title": "Old"])
        try writer.save()
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        let request = request()
        request.affectedStores = [store]
        let mine = try #require(try context.fetch(request).first)
        #expect(mine.text("title") == "Old")
        context.detectConflicts(for: mine)
        try context.save()
        theirs.setValue("New", forKey: "title")
        try writer.save()
        context.detectConflicts(for: mine)
        if !isAlone { context.assign(context.make("Book", ["pages": 12]), to: coordinator.persistentStores[0]) }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(try coordinator.context().all("Book").count == 11)
        context.mergePolicy = isOverwritten ? NSMergePolicy.overwrite : NSMergePolicy.mergeByPropertyObjectTrump
        if isOverwritten {
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
            #expect(try coordinator.context().all("Book").count == 11)
        } else {
            try context.save()
            #expect(mine.text("title") == "New")
            #expect(try coordinator.context().all("Book").count == (isAlone ? 11 : 12))
        }
    }

    private func dictionaries(_ columns: [Any]) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        return request
    }

    @Test("d.13 sorts and cuts dictionaries as one list, by what they hold")
    func sortedDictionaries() throws {
        let request = dictionaries(["pages"])
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        (request.fetchOffset, request.fetchLimit) = (2, 3)
        #expect(try context.fetch(request).map { $0["pages"] as? Int } == [7, 6, 5])
    }

    @Test("d.13 sorts dictionaries by what they do not hold, and does not show it")
    func hiddenKeys() throws {
        for (rank, book) in try context.fetch(self.request()).enumerated() { book.setValue("\(rank)", forKey: "title") }
        try context.save()
        let request = dictionaries(["pages"])
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true), NSSortDescriptor(key: "author.name", ascending: true),
        ]
        #expect(try context.fetch(request) == (0..<10).reversed().map { ["pages": $0] as NSDictionary })
    }

    @Test("d.13 sorts dictionaries by rank, and distinct ones by what they hold of related objects")
    func columnOrders() throws {
        for (rank, book) in try context.fetch(self.request()).enumerated() {
            book.setValue(rank % 3 == 0 ? "pond" : "the pond of the woods", forKey: "title")
            let author = context.make("Author", ["name": "\(rank % 4)"])
            context.assign(author, to: try #require(book.objectID.persistentStore))
            book.setValue(author, forKey: "author")
        }
        try context.save()
        let ranked = dictionaries(["pages"])
        ranked.sortDescriptors = [
            NSSortDescriptor(key: "title", rankOf: "pond"), NSSortDescriptor(key: "pages", ascending: true),
        ]
        #expect(try context.fetch(ranked).map { $0["pages"] as? Int } == [0, 3, 6, 9, 1, 2, 4, 5, 7, 8])
        let distinct = dictionaries(["author.name"])
        distinct.returnsDistinctResults = true
        distinct.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: false)]
        #expect(try context.fetch(distinct).map { $0["author.name"] as? String } == ["3", "2", "1", "0"])
    }

    @Test("d.13 returns an equal dictionary of two stores once, if results are to be distinct")
    func distinct() throws {
        for book in try context.fetch(self.request()) { book.setValue("same", forKey: "title") }
        try context.save()
        let request = dictionaries(["title"])
        request.returnsDistinctResults = true
        #expect(try context.fetch(request) == [["title": "same"]])
        #expect(try context.count(for: request) == 1)
    }

    @Test("d.13 does not join groups or aggregates, and says so; of one store they are as always")
    func aggregates() throws {
        let sum = NSExpressionDescription()
        (sum.name, sum.expression) = ("sum", NSExpression(format: "sum:(pages)"))
        sum.expressionResultType = .integer64AttributeType
        let all = dictionaries([sum])
        let grouped = dictionaries(["title"])
        grouped.propertiesToGroupBy = ["title"]
        for request in [all, grouped] {
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect("\(error as Any)".contains("affectedStores"))
        }
        all.affectedStores = [coordinator.persistentStores[1]]
        #expect(try context.fetch(all) == [["sum": 25]])
    }
}
