import FirnRuntime
import FirnStore
import FirnModel
import Foundation

/// Keeps a save from leading an object to one that is not there.
///
/// Where both sides know of a relationship, the other one is part of the save, and its deletion by another save is a
/// conflict, which the merge policy decides. That leaves relationships without an inverse, objects that were found to
/// be deleted when they were related, and primitive values:
///
///     set here        deleted by another save       written
///     Book ── Ada     Ada                           Book –, or 1570 if a book must have an author
struct DanglingReferences {
    /// Nil if what the context knows is all there is to ask.
    let rows: TransactionReader?
    /// Objects that stand for others, which are not there.
    var successors: [ObjectReference: NSManagedObject] = [:]

    /// Ends what leads to objects that are not there, and validates those again that lost something by it. O(new
    /// relationships), with a lookup for each that leads to an object without changes of its own.
    func end(in lists: [[NSManagedObject]]) throws {
        var failures: [any Error] = []
        for list in lists {
            try list.forEachUnretained { object in
                if object.layout.relationshipSlots.isEmpty || object.values.isEmpty { return }
                guard try endAll(of: object, &failures) else { return }
                do { try object.validateForSave() } catch { failures.append(error) }
            }
        }
        try CoreDataError.throwAll(failures)
    }

    /// Whether there was anything to end.
    private func endAll(of object: NSManagedObject, _ failures: inout [any Error]) throws -> Bool {
        var hasEnded = false
        try object.visitNewDestinations { slot, destination in
            let info = object.layout.slots[slot]
            guard info.isStored || (info.toMany?.hasLinks == true && !info.isTransient),
                try !isThere(destination, for: object)
            else { return }
            let successor = info.inverseSlot == nil ? successors[ObjectReference(destination)] : nil
            if successor == nil, destination.context == nil, !destination.isDiscarded {
                return failures.append(object.danglingReference(destination, slot))
            }
            hasEnded = true
            if info.isToOne {
                object.write(successor.map(SlotValue.toOne) ?? .null, slot)
            } else {
                object.members(slot).discard(destination)
                if let successor { object.members(slot).add(successor) }
            }
        }
        return hasEnded
    }

    private func isThere(_ destination: NSManagedObject, for object: NSManagedObject) throws -> Bool {
        if destination.context == nil || destination.isDeleted { return false }
        if destination.state.contains(.inserted) { return true }
        // Looked at for conflicts already.
        if !destination.layout.storedChanges(destination.changed).isEmpty { return true }
        // What leads to another store is refused elsewhere.
        guard let rows, destination.store === object.store else { return true }
        return try rows.exists(destination.key)
    }

    /// Validates objects that must be related to one, and are not: a merge policy let go of what another save deleted.
    /// And deleted ones, to which that save may have related what denies the deletion.
    static func checkOrphans(_ lists: [[NSManagedObject]], deleted: [NSManagedObject]) throws {
        var failures: [any Error] = []
        for object in lists.joined() where object.lacksDestination {
            do { try object.validateForSave() } catch { failures.append(error) }
        }
        for object in deleted { do { try object.validateDeletion() } catch { failures.append(error) } }
        try CoreDataError.throwAll(failures)
    }
}

extension NSManagedObject {
    fileprivate final func validateForSave() throws {
        if isInserted { try validateForInsert() } else { try validateForUpdate() }
    }

    fileprivate final var lacksDestination: Bool {
        layout.toOneSlots.contains { slot in
            let info = layout.slots[slot]
            return !info.isOptional && !info.isTransient && (isInserted || changed.contains(slot))
                && destination(slot) == nil
        }
    }
}
