import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation
import Synchronization

/// An atomic store's part of a save.
extension NSAtomicStore {
    func willAssign(_ primaryKey: Int64, to object: NSManagedObject) {
        let root = number(of: object.layout.rootEntity).rawValue
        let reference = newReferenceObject(for: object)
        guard references.set(reference, root: root, primaryKey: primaryKey) else {
            fatalError(
                "newReferenceObject(for:) of \(Swift.type(of: self)) gave \(reference), which another object of the "
                    + "entity \(object.entity.name ?? "?") has: give each its own")
        }
        content.withLock { $0.recordAssigned(root: root, primaryKey: primaryKey) }
    }

    /// Writes the file. The objects have their keys, and no conflicts.
    func write(inserted: [NSManagedObject], updated: [NSManagedObject], deleted: [NSManagedObject]) throws {
        let gone = deleted.compactMap { cacheNode(for: $0.objectID) }
        willRemoveCacheNodes(Set(gone))
        content.withLock { content in
            for node in gone { content.remove(node.objectID) }
        }
        var made: [(NSAtomicStoreCacheNode, NSManagedObject)] = []
        for object in inserted {
            let node = newCacheNode(for: object)
            content.withLock { $0.add(node) }
            made.append((node, object))
        }
        for object in updated {
            guard let node = cacheNode(for: object.objectID) else { continue }
            content.withLock { $0.willChange(node) }
            updateCacheNode(node, from: object)
            made.append((node, object))
        }
        // Nodes of new objects may lead to each other: all have to be there first.
        for (node, object) in made { fillRelationships(node, from: object) }
        completeMetadata()
        try save()
        hasUnsavedMetadata = false
        content.withLock { $0.commit() }
    }

    /// The save failed after all.
    func rollBack() {
        for (root, key) in content.withLock({ $0.rollBack() }) { references.remove(root: root, primaryKey: key) }
    }

    /// Puts an object's attributes into a node.
    func fill(_ node: NSAtomicStoreCacheNode, from object: NSManagedObject) {
        for slot in object.layout.publicSlots {
            let info = object.layout.slots[slot]
            guard !info.isTransient, !info.isRelationship else { continue }
            if case .fetched = info.kind { continue }
            node.setValue(object.anyValue(slot), forKey: info.name)
        }
    }

    /// Relationships lead from node to node. What a node has nothing for gets nothing.
    private func fillRelationships(_ node: NSAtomicStoreCacheNode, from object: NSManagedObject) {
        for slot in object.layout.relationshipSlots where !object.layout.slots[slot].isTransient {
            let info = object.layout.slots[slot]
            if info.isToOne {
                node.setValue(object.destination(slot).flatMap { cacheNode(for: $0.objectID) }, forKey: info.name)
                continue
            }
            let members = object.memberObjects(slot).compactMap { cacheNode(for: $0.objectID) }
            let isOrdered = info.toMany?.isOrdered ?? false
            node.setValue(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: info.name)
        }
    }
}

/// The saving of changes into an atomic store: while nobody else writes, its file first, then the tables in memory.
///
///     keys → reference objects → derived values → nodes → file → tables
final class AtomicSave: SaveOperation {
    private let atomicStore: NSAtomicStore
    private var derived: AtomicDerivedValues?

    init(_ change: ObjectChange, context: NSManagedObjectContext, store: NSAtomicStore, engine: StoreEngine) {
        atomicStore = store
        super.init(change, context: context, store: store, engine: engine)
    }

    /// True: what the file has must be in the tables at once.
    override var isTriedAlone: Bool { true }

    override func willCommit(_ prepared: PreparedTransaction) throws {
        if [inserted, updated, deleted].allSatisfy(\.isEmpty), !atomicStore.hasUnsavedMetadata { return }
        let derived = AtomicDerivedValues(context, saved: inserted + updated, deleted: deleted)
        self.derived = derived
        try derived.apply(prepared.derived, engine)
        try atomicStore.write(inserted: inserted, updated: updated + derived.added, deleted: deleted)
    }

    override func rollBack() {
        atomicStore.rollBack()
        derived?.rollBack()
        super.rollBack()
    }
}
