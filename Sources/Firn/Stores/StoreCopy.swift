import FirnStore
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// Writes the objects of a store into a new one, of whatever types the two are.
///
/// It works on a coordinator of its own, so that nobody hears of it, with instances of `NSManagedObject` itself, so
/// that no hooks of the application's classes run. Complexity: O(objects), all of which are in memory meanwhile.
struct StoreCopy {
    private let from: NSPersistentStore
    private let to: NSPersistentStore
    private let context: NSManagedObjectContext

    init(from: NSPersistentStore, to: NSPersistentStore, model: NSManagedObjectModel) {
        self.from = from
        self.to = to
        let coordinator = NSPersistentStoreCoordinator(past: model)
        coordinator.adopt(from)
        coordinator.adopt(to)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Gives the new IDs of the objects by their old ones.
    func run() throws -> [NSManagedObjectID: NSManagedObjectID] {
        // A coordinator that goes away closes the stores that it still has.
        defer {
            for store in [from, to] { _ = context.persistentStoreCoordinator?.exchange(store, for: nil) }
        }
        return try context.performAndWait {
            let copies = try from.checkingLargeValues { try copy() }
            try context.save()
            return copies.mapValues(\.objectID)
        }
    }

    private func copy() throws -> [NSManagedObjectID: NSManagedObject] {
        context.undoManager = nil
        let originals = try context.everything(in: from)
        var copies: [NSManagedObjectID: NSManagedObject] = [:]
        for original in originals {
            let copy = NSManagedObject(entity: original.entity, insertInto: context)
            copy.store = to
            for slot in original.layout.storedSlots where !original.layout.slots[slot].isRelationship {
                if case .position = original.layout.slots[slot].kind { continue }
                copy.write(original.read(slot), slot)
            }
            copies[original.objectID] = copy
        }
        for original in originals {
            guard let copy = copies[original.objectID] else { continue }
            relate(copy, as: original, copies)
        }
        return copies
    }

    private func relate(
        _ copy: NSManagedObject, as original: NSManagedObject, _ copies: [NSManagedObjectID: NSManagedObject]
    ) {
        for slot in original.layout.relationshipSlots where !original.layout.slots[slot].isTransient {
            if original.layout.slots[slot].isToOne {
                guard let destination = original.destination(slot), let other = copies[destination.objectID],
                    copy.destination(slot) !== other
                else { continue }
                copy.setDestination(other, slot)
            } else {
                let members = original.memberObjects(slot).compactMap { copies[$0.objectID] }
                if !members.isEmpty { copy.setMembers(members, slot) }
            }
        }
    }
}

extension NSManagedObjectContext {
    /// All objects of a store.
    func everything(in store: NSPersistentStore) throws -> [NSManagedObject] {
        guard let schema = store.schema else { return [] }
        let roots = schema.entities.filter { !($0.superentity.map(schema.contains) ?? false) }
        return try roots.flatMap { entity in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.returnsObjectsAsFaults = false
            request.affectedStores = [store]
            return try fetch(request)
        }
    }
}
