import FirnStore
import OrderedCollections
import FirnLog
import FirnModel
import FirnProjection
import Foundation

/// A context as the source of its children: what they read, unsaved changes included.
extension NSManagedObjectContext: ObjectSource {
    func snapshot(of id: NSManagedObjectID, maximumAge: Double) throws -> Snapshot? {
        try performAndWait {
            let object = object(with: id)
            if object.isFault, object.isInserted { object.fulfill(for: nil) }
            if object.isFault {
                guard let source, let snapshot = try source.snapshot(of: id, maximumAge: maximumAge) else { return nil }
                object.realize(snapshot)
            }
            return object.isDeleted || object.state.contains(.gone) ? nil : try object.currentSnapshot()
        }
    }

    func holds(_ id: NSManagedObjectID) -> Bool {
        performAndWait {
            guard let object = registeredObject(for: id) else { return false }
            return (!object.isFault || object.isInserted) && !object.isDeleted && !object.state.contains(.gone)
        }
    }

    func snapshot(of object: NSManagedObject, maximumAge: Double) throws -> Snapshot? {
        try snapshot(of: object.identity, maximumAge: maximumAge)
    }

    func members(of object: NSManagedObject, slot: Int) throws -> NamedObjects {
        let id = object.identity
        return performAndWait { .ids(self.object(with: id).memberObjects(slot).map(\.objectID)) }
    }

    func members(of owners: [(object: NSManagedObject, slot: Int)]) throws -> [NamedObjects] {
        try owners.map { try members(of: $0.object, slot: $0.slot) }
    }

    func loadRows(of objects: [NamedObjects]) throws {
        try performAndWait { try source?.loadRows(of: objects) }
    }

    func readMatches(
        _ request: StoreRequest, _ monitor: FetchMonitor?, _ take: (StorePart) throws -> Void
    ) throws {
        let ids = try performAndWait {
            let fetch = try ObjectFetch(self, request)
            return try fetch.objects(fetch.read(monitor)).map(\.objectID)
        }
        try take(StorePart(found: .ids(ids)))
    }

    func count(_ request: StoreRequest) throws -> Int { try performAndWait { try ObjectFetch(self, request).count() } }

    func dictionaries(_ request: StoreRequest, _ monitor: FetchMonitor?) throws -> [NSDictionary] {
        try performAndWait { try source?.dictionaries(request, monitor) ?? [] }
    }
}

/// Saving one level up.
extension NSManagedObjectContext {
    /// Makes the changes of a child this context's own unsaved ones. Of to-many relationships they have both sides.
    func saveIntoParent(_ parent: NSManagedObjectContext, _ change: ObjectChange) throws {
        try parent.performAndWait {
            for object in change.inserted { parent.adoptInserted(object) }
            for object in change.inserted + change.updated { parent.adoptValues(object) }
            for object in change.deleted { parent.adoptDeleted(object) }
            parent.processPendingChanges()
            for object in change.inserted + change.updated {
                object.apply(try parent.object(with: object.identity).currentSnapshot())
            }
        }
    }

    private func adoptInserted(_ child: NSManagedObject) {
        // The child may have obtained the permanent ID already.
        let object = makeFault(child.identity, key: child.identity.key, store: child.store)
        object.state.remove(.fault)
        inserted.insert(object)
        pending.inserted.insert(object)
    }

    private func adoptValues(_ child: NSManagedObject) {
        let object = object(with: child.identity)
        if object.isFault { object.fulfill(for: nil) }
        for slot in child.layout.slots.indices {
            guard !child.values.isEmpty, child.isInserted || child.changed.contains(slot) else { continue }
            // To set a relationship to what it was is no change of it: this context may have set another one.
            if child.layout.slots[slot].isToOne, !child.differsFromSnapshot(slot) { continue }
            switch child.values[slot] {
            case .unset:
                // It follows from the other side, which is part of the save too.
                if child.snapshot != nil, child.layout.slots[slot].isOneToOne { object.recordChange(slot) }
            case .toOne(let destination):
                object.adoptDestination(self.object(with: destination.identity), slot)
                continue
            case .null where child.layout.slots[slot].isToOne:
                object.adoptDestination(nil, slot)
                continue
            case .toMany(let members):
                // Noted first: an undo needs what was there before.
                object.recordChange(slot)
                adopt(members, in: object, slot)
            case let value:
                object.recordChange(slot)
                object.write(value, slot)
            }
        }
    }

    private func adopt(_ members: Members, in object: NSManagedObject, _ slot: Int) {
        guard members.isChanged else { return }
        let mine = object.members(slot)
        if mine.isOrdered, members.isLoaded { _ = mine.members { object.storedMembers(slot) } }
        for member in members.removed { mine.remove(self.object(with: member.object.identity)) }
        for member in members.added { mine.add(self.object(with: member.object.identity)) }
        if mine.isOrdered, let order = members.loaded, let now = mine.loaded {
            // The child's order, as far as it knew the members.
            var wanted = OrderedSet(order.map { ObjectReference(self.object(with: $0.object.identity)) })
            wanted.formIntersection(now)
            wanted.formUnion(now)
            if wanted != now { mine.reorder(wanted) }
        }
    }

    private func adoptDeleted(_ child: NSManagedObject) {
        let object = object(with: child.identity)
        guard !object.isDeleted else { return }
        if object.isFault { object.fulfill(for: nil) }
        if object.state.contains(.inserted) {
            inserted.remove(object)
            object.state.formUnion([.vanished, .unsaved])
        } else {
            deleted.insert(object)
        }
        updated.remove(object)
        pending.updated.remove(object)
        pending.deleted.insert(object)
        // What this context related to it meanwhile, the child knew nothing of.
        pending.undispatchedDeletes.append(object)
    }

    /// A child saved into this context: its other children that follow by themselves merge it.
    func childDidSave(
        _ child: NSManagedObjectContext, _ change: ObjectChange, _ identities: [AnyHashable: Any]
    ) {
        let ids = RemoteChange(change, identities)
        for sibling in persistentStoreCoordinator?.followers ?? []
        where sibling !== child && sibling.parent === self {
            sibling.mergeLater(ids)
        }
    }
}

extension NSManagedObject {
    /// The object's values as they are now, unsaved ones too, as a row of its own: what a child context reads.
    func currentSnapshot() throws -> Snapshot {
        var columns = [Column?](repeating: nil, count: layout.slots.count)
        for slot in layout.storedSlots {
            var column = Column(layout.slots[slot].storage)
            if case .toOne(let destination) = read(slot) {
                column.append(destination.key)
            } else {
                column.append(try AttributeCoding.stored(read(slot), layout.slots[slot]))
            }
            columns[slot] = column
        }
        let batch = RowBatch(
            entity: key.entity, primaryKeys: [key.primaryKey], versions: [snapshot?.version ?? 0],
            columns: columns)
        return Snapshot(batch: batch, row: 0)
    }
}
