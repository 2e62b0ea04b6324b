import Firn
import FirnFoundation
import Foundation

import class FirnFoundation.NSExpression
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

extension UserMistake {
    private static func fetch(
        _ entity: String? = "Author", _ change: (NSFetchRequest<any NSFetchRequestResult>) -> Void = { _ in }
    ) throws {
        let request = entity.map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) } ?? NSFetchRequest()
        change(request)
        _ = try newContext().fetch(request)
    }

    private static func newController(_ entity: String?) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = entity.map { NSFetchRequest<NSManagedObject>(entityName: $0) } ?? NSFetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: try newContext(), sectionNameKeyPath: nil, cacheName: nil)
    }

    static let requests: [UserMistake] = [
        UserMistake("fetch without an entity", "entity", "name one of Author, Book, Poet, Tag") { try fetch(nil) },
        UserMistake("fetch an unknown entity", "\"Nobody\"", "name one of Author") { try fetch("Nobody") },
        UserMistake("fetch without a coordinator", "\"Author\" is not in the model") {
            _ = try contextWithoutCoordinator().all("Author")
        },
        UserMistake("control a request without an entity", "entity", "name one of Author") {
            try newController(nil).performFetch()
        },
        UserMistake("ask a controller for an object before its fetch", "performFetch() must be called") {
            _ = try newController("Author").object(at: [0, 0])
        },
        UserMistake("ask a controller for an object that is not there", "no object at index path [0, -1]") {
            let controller = try newController("Author")
            try controller.performFetch()
            _ = controller.object(at: [0, -1])
        },
        UserMistake("ask a controller for an object at an empty path", "no object at index path []") {
            let controller = try newController("Author")
            try controller.performFetch()
            _ = controller.object(at: IndexPath())
        },
        UserMistake("sort by an unknown key", "“nme”", "Author has no property") {
            try fetch { $0.sortDescriptors = [NSSortDescriptor(key: "nme", ascending: true)] }
        },
        UserMistake("fetch an unknown property", "“nme”", "Author has no property") {
            try fetch { ($0.resultType, $0.propertiesToFetch) = (.dictionaryResultType, ["nme"]) }
        },
        UserMistake("fetch a property that is a number", "“3”", "propertiesToFetch takes names") {
            try fetch { ($0.resultType, $0.propertiesToFetch) = (.dictionaryResultType, [3]) }
        },
        UserMistake("find by an unknown key", "“nme”", "Author has no property") {
            try fetch { $0.predicate = NSPredicate(format: "nme = 'x'") }
        },
        UserMistake("find by an unknown key path", "“books.nme”", "Book has no property") {
            try fetch { $0.predicate = NSPredicate(format: "ANY books.nme = 'x'") }
        },
        UserMistake("find by a variable without a value", "$x", "has no value") {
            try fetch { $0.predicate = NSPredicate(format: "name = $x") }
        },
        UserMistake("add a store without a URL", "needs a file URL, not nil") {
            try add(NSSQLiteStoreType, at: nil)
        },
        UserMistake("add a store at a web address", "https://…", "PersistentStoreLocalCopyOption") {
            try add(NSSQLiteStoreType, at: URL(string: "https://a.example/b"))
        },
        UserMistake("add a store of an unknown type", "no store type \"Foo\"") { try add("Foo", at: nil) },
        UserMistake("add a store of an unknown configuration", "no configuration \"Foo\"") {
            try add(NSInMemoryStoreType, at: nil, configuration: "Foo")
        },
        UserMistake("remove another coordinator's store", "is not one of this coordinator's") {
            try Library.inMemory().remove(try Library.inMemory().persistentStores[0])
        },
    ]

    private static func add(_ type: String, at url: URL?, configuration: String? = nil) throws {
        _ = try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
            .addPersistentStore(ofType: type, configurationName: configuration, at: url)
    }

    private static func update(_ entity: String, _ values: [AnyHashable: Any]?) throws {
        let request = NSBatchUpdateRequest(entityName: entity)
        request.propertiesToUpdate = values
        let context = try newContext()
        _ = context.make("Author")
        try context.save()
        _ = try context.execute(request)
    }

    private static func insert(_ entity: String, _ values: [String: Any]) throws {
        _ = try newContext().execute(NSBatchInsertRequest(entityName: entity, objects: [values]))
    }

    static let batches: [UserMistake] = [
        UserMistake("update an unknown entity in a batch", "\"Nobody\" is not in the model") {
            try update("Nobody", ["name": 1])
        },
        UserMistake("update nothing in a batch", "propertiesToUpdate is empty") { try update("Author", nil) },
        UserMistake("update an unknown property in a batch", "Author has no property \"nme\"") {
            try update("Author", ["nme": 1])
        },
        UserMistake("update by a key that is a number in a batch", "a key of type Int") {
            try update("Author", [3: 1])
        },
        UserMistake("update with a value of a wrong type in a batch", "\"age\" takes no String") {
            try update("Author", ["age": "x"])
        },
        UserMistake("insert an unknown entity in a batch", "\"Nobody\" is not in the model") {
            try insert("Nobody", ["name": 1])
        },
        UserMistake("insert an unknown property in a batch", "cannot set \"nme\" of Author") {
            try insert("Author", ["nme": 1])
        },
        UserMistake("insert a value of a wrong type in a batch", "\"age\" takes no String") {
            try insert("Author", ["age": "x"])
        },
        UserMistake("delete in a batch without an entity", "entity", "name one of Author") {
            _ = try newContext().execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>()))
        },
        UserMistake("delete objects of two entities in a batch", "one root entity") {
            let context = try newContext()
            _ = NSBatchDeleteRequest(objectIDs: [context.make("Author").objectID, context.make("Tag").objectID])
        },
    ]
}
