import Firn
import Foundation
import StoreSupport

extension UserMistake {
    static let contexts: [UserMistake] = [
        UserMistake("relate an object of another context", "\"author\"", "different contexts") {
            let coordinator = try Library.inMemory()
            let (one, other) = (keep(coordinator.context()), keep(coordinator.context()))
            one.make("Book").setValue(other.make("Author"), forKey: "author")
        },
        UserMistake("relate an object of another coordinator", "\"author\"", "different contexts") {
            try newContext().make("Book").setValue(try newAuthor(), forKey: "author")
        },
        UserMistake("add a member of another context", "\"tags\"", "different contexts") {
            try newBook().mutableSetValue(forKey: "tags").add(try newContext().make("Tag"))
        },
        UserMistake("delete an object of another context", "is not in this context") {
            try newContext().delete(try newAuthor())
        },
        UserMistake("delete an object whose deletion was saved", "is not in this context", "was saved already") {
            let context = try newContext()
            let author = context.make("Author")
            try context.save()
            for _ in 0..<2 {
                context.delete(author)
                try context.save()
            }
        },
        UserMistake("save a context on two threads at once", "perform or performAndWait where another thread saves") {
            let context = try newContext()
            _ = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextWillSave, object: context, queue: nil
            ) { _ in
                let done = DispatchSemaphore(value: 0)
                let other = Thread {
                    try? context.save()
                    done.signal()
                }
                other.start()
                done.wait()
            }
            _ = context.make("Author")
            try context.save()
        },
        UserMistake("insert an object of another context", "belongs to another context already") {
            try newContext().insert(try newAuthor())
        },
        UserMistake("assign what is no object", "takes a managed object of this context, not x") {
            let context = try newContext()
            guard let store = context.persistentStoreCoordinator?.persistentStores.first else { return }
            context.assign("x", to: store)
        },
        UserMistake("assign an object to another coordinator's store", "is not one of the context's coordinator") {
            let author = try newAuthor()
            author.managedObjectContext?.assign(author, to: try Library.inMemory().persistentStores[0])
        },
        UserMistake("read an object whose row was deleted", "could not fulfill a fault", "/Author/p1") {
            let context = try newContext()
            context.shouldDeleteInaccessibleFaults = false
            let author = context.make("Author")
            try context.save()
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = context.persistentStoreCoordinator
            other.delete(other.object(with: author.objectID))
            try other.save()
            context.refresh(author, mergeChanges: false)
            _ = author.value(forKey: "name")
        },
        UserMistake("make a context its own parent", "cannot be its own parent") {
            let context = contextWithoutCoordinator()
            context.parent = context
        },
        UserMistake("make two contexts each other's parents", "cannot be its own parent", "one of its parents") {
            let (one, other) = (contextWithoutCoordinator(), contextWithoutCoordinator())
            one.parent = other
            other.parent = one
        },
        UserMistake("give a context a parent and a coordinator", "has a parent or a coordinator") {
            try newContext().parent = try newContext()
        },
        UserMistake("give a child a coordinator", "reaches the coordinator through it") {
            let child = contextWithoutCoordinator()
            child.parent = try newContext()
            child.persistentStoreCoordinator = try Library.inMemory()
        },
        UserMistake("merge with something that is no policy", "mergePolicy must be an NSMergePolicy, not String") {
            let context = try newContext()
            context.mergePolicy = "x"
            let author = context.make("Author")
            try context.save()
            let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            other.persistentStoreCoordinator = context.persistentStoreCoordinator
            other.object(with: author.objectID).setValue("x", forKey: "name")
            try other.save()
            author.setValue("y", forKey: "name")
            try context.save()
        },
        UserMistake("execute a request outside of a context", "execute()", "fetch(_:)") {
            _ = try NSFetchRequest<NSManagedObject>(entityName: "Author").execute()
        },
    ]
}
