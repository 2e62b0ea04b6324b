import CoreData
import Foundation

/// A second context that is told of every save and merges it, while the import runs.
///
/// It keeps every object, and writes down what each one said right after the merge that brought or changed it. At the
/// end both, the objects and what they said, are held against the store.
///
/// Confined to the queue of its context, but for `follow` and `stop`, which the importer's queue calls.
final class Mirror: @unchecked Sendable {
    private let context: NSManagedObjectContext
    private var objects: [NSManagedObjectID: NSManagedObject] = [:]
    private var said: [NSManagedObjectID: Int] = [:]
    private var observers: [any NSObjectProtocol] = []
    /// Lets the import run ahead by this number of saves and no further.
    private let ahead = DispatchSemaphore(value: 64)

    /// Begins with what the store holds.
    init(_ context: NSManagedObjectContext) throws {
        self.context = context
        try context.performAndWait {
            for object in try Self.allObjects(in: context) { note(object) }
        }
    }

    /// Merges each save of `source` from now on.
    func follow(_ source: NSManagedObjectContext) {
        let center = NotificationCenter.default
        let saves = center.addObserver(
            forName: .NSManagedObjectContextDidSave, object: source, queue: nil
        ) {
            [self] save in
            ahead.wait()
            nonisolated(unsafe) let save = save
            context.perform { [self] in
                context.mergeChanges(fromContextDidSave: save)
                ahead.signal()
            }
        }
        let changes = center.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [self] in take($0) }
        observers = [saves, changes]
    }

    /// Returns when everything is merged.
    func stop() {
        context.performAndWait { context.processPendingChanges() }
        observers.forEach(NotificationCenter.default.removeObserver)
        observers = []
    }

    private func take(_ change: Notification) {
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey] {
            for object in change.userInfo?[key] as? Set<NSManagedObject> ?? [] { note(object) }
        }
        for object in change.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> ?? [] {
            objects[object.objectID] = nil
            said[object.objectID] = nil
        }
    }

    private func note(_ object: NSManagedObject) {
        objects[object.objectID] = object
        said[object.objectID] = Fingerprint.values(of: object)
    }

    /// What differs between this context and the store as `fresh`, a context that has read nothing yet, sees it.
    func differences(from fresh: NSManagedObjectContext) throws -> [String] {
        try fresh.performAndWait {
            var stored:
                [NSManagedObjectID: (values: Int, members: [String: Set<NSManagedObjectID>])] = [:]
            for object in try Self.allObjects(in: fresh) {
                stored[object.objectID] = (
                    Fingerprint.values(of: object), Fingerprint.members(of: object)
                )
            }
            return context.performAndWait { differences(from: stored) }
        }
    }

    /// How many objects the context holds.
    var count: Int { context.performAndWait { objects.count } }

    private func differences(
        from stored: [NSManagedObjectID: (values: Int, members: [String: Set<NSManagedObjectID>])]
    ) -> [String] {
        var differences: [String] = []
        for (id, object) in objects {
            guard let other = stored[id] else {
                differences.append("\(id) is in the second context and not in the store")
                continue
            }
            if said[id] != other.values {
                differences.append("\(id) was merged with other values than the store has")
            }
            if Fingerprint.values(of: object) != other.values {
                differences.append("\(id) has other values than in the store")
            }
            for (name, members) in Fingerprint.members(of: object)
            where members != other.members[name] {
                differences.append("\(id) has other \(name) than in the store")
            }
        }
        for id in stored.keys where objects[id] == nil {
            differences.append("\(id) is in the store and not in the second context")
        }
        return differences.sorted()
    }

    private static func allObjects(in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try ["Author", "Commit", "File"].flatMap { entity in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            // Every value of every object is copied, so that faults would only fire one by one.
            request.returnsObjectsAsFaults = false
            return try context.fetch(request)
        }
    }
}
