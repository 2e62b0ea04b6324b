import Firn
import FirnFoundation
import FirnModel
import Foundation
import StoreSupport

/// A context of a random program, with what it is expected to show.
final class Actor {
    let name: String
    let context: NSManagedObjectContext
    let parent: Actor?
    var plain = PlainContext()
    /// Every object that the program has seen here, by number. Holding them keeps what the context shows from
    /// changing before it merges.
    var instances: [Int: NSManagedObject] = [:]
    /// Saves of others that are not merged yet.
    var inbox: [Notification] = []
    /// The last transaction of the history that it knows.
    var token: NSPersistentHistoryToken?
    /// Objects that others saved since, and those whose rows such a save may have touched.
    var changedElsewhere: Set<Int> = []
    var perhapsChangedElsewhere: Set<Int> = []

    /// Whether the context merges by itself what its source has saved.
    let follows: Bool

    init(_ name: String, _ coordinator: NSPersistentStoreCoordinator, undoes: Bool, follows: Bool = false) {
        self.name = name
        self.follows = follows
        parent = nil
        context = coordinator.context()
        context.name = name
        context.automaticallyMergesChangesFromParent = follows
        token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        if undoes {
            let manager = FirnFoundation.UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
        }
    }

    init(_ name: String, childOf parent: Actor, follows: Bool = false) {
        self.name = name
        self.follows = follows
        self.parent = parent
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.name = name
        context.parent = parent.context
        context.automaticallyMergesChangesFromParent = follows
    }

    var undoes: Bool { context.undoManager != nil }

    var undoCount: Int { context.performAndWait { context.undoManager?.undoCount ?? 0 } }

    /// Runs `body` as one event: what it changes is one step of the undo manager.
    func event<R>(_ body: () throws -> R) rethrows -> R {
        try context.performAndWait {
            context.undoManager?.beginUndoGrouping()
            defer { context.undoManager?.endUndoGrouping() }
            let result = try body()
            context.processPendingChanges()
            return result
        }
    }

    func isVisible(_ object: NSManagedObject) -> Bool { object.managedObjectContext === context && !object.isDeleted }

    /// What the context shows by the objects in hand, without asking the store for anything.
    func held() -> PlainGraph {
        context.performAndWait { PlainGraph(reading: instances.values.filter(isVisible)) }
    }

    /// What the context finds in its source. From now on these are the objects in hand, with those that are deleted
    /// here, which may come back.
    func fetched() throws -> (graph: PlainGraph, twins: [Int]) {
        try context.performAndWait {
            var twins: [Int] = []
            var found: [Int: NSManagedObject] = [:]
            for object in try parent.map(known) ?? all() {
                let number = object.number
                if let known = instances[number], known !== object, known.objectID == object.objectID,
                    isVisible(known)
                {
                    twins.append(number)
                }
                found[number] = object
            }
            let graph = PlainGraph(reading: found.values)
            instances = instances.filter { !$0.value.isFault || plain.base.kinds[$0.key] != nil }
            instances.merge(found) { $1 }
            // What came in and was reached by a deletion at once was never found, but a rollback brings it back.
            for object in context.deletedObjects {
                let number = object.committedValues(forKeys: ["number"])["number"] as? Int
                if let number, instances[number] == nil { instances[number] = object }
            }
            return (graph, twins)
        }
    }

    private func all() throws -> [NSManagedObject] {
        try Kind.allCases.filter { $0 == $0.root }.flatMap { try context.all($0.rawValue) }
    }

    /// The objects that a child shows: its parent's, which may be behind the store, and its own new ones. A fetch would
    /// find what the parent has not merged yet too.
    private func known(by parent: Actor) -> [NSManagedObject] {
        let theirs = parent.plain.view.kinds.keys.compactMap { number in
            parent.instances[number].map { (number, $0.objectID) }
        }
        var result: [Int: NSManagedObject] = [:]
        for (number, id) in theirs {
            let object = context.object(with: id)
            if !object.isDeleted { result[number] = object }
        }
        for object in context.insertedObjects { result[object.number] = object }
        return Array(result.values)
    }

    /// Whether an object that a child holds is another one here: it came back when its saved deletion was undone.
    func hasOthers(than child: Actor) -> Bool {
        context.performAndWait {
            child.instances.contains { number, object in
                guard let own = instances[number] else { return false }
                return context.registeredObject(for: object.objectID) !== own
            }
        }
    }

    /// Forgets everything that is not saved, in the context and in what is expected of it.
    func reset(to source: PlainGraph) throws {
        context.performAndWait { context.reset() }
        plain = PlainContext()
        plain.base = source
        plain.view = source
        forgetOthers()
        instances = [:]
        _ = try fetched()
    }

    func forgetOthers() {
        inbox = []
        token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
        changedElsewhere = []
        perhapsChangedElsewhere = []
    }

    /// After others' changes came in, earlier steps would take them back too.
    func discardSteps() {
        context.performAndWait { context.undoManager?.removeAllActions() }
        plain.discardSteps()
    }
}
