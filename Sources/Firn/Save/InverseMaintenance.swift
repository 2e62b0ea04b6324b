import FirnRuntime
import FirnStore
import FirnModel

/// Makes both sides of the relationships that a save writes say the same, where others saved meanwhile.
///
/// A merge policy decides object by object, but a relationship has two:
///
///     read here        set here       saved by another    the store's side wins for room 1
///     Ada  –           Ada ── 1       Bob ── 1            Bob ── 1, Ada –
///
/// Each side's row is written by the save that changes the relationship, so that every context which has one of them
/// hears of it, and a save that deletes the other side finds a conflict.
struct InverseMaintenance {
    /// Returns the row that the store, or the parent, has of an object now.
    let row: (NSManagedObject) throws -> Snapshot?
    /// The context that this save goes into, if it is one: it may have led objects elsewhere since they were read here.
    private let parent: NSManagedObjectContext?
    /// Whether an object was changed, which may be one that the save did not have.
    private(set) var hasChanged = false

    init(context: NSManagedObjectContext, row: @escaping (NSManagedObject) throws -> Snapshot?) {
        self.row = row
        parent = context.parent
    }

    /// `isDisputed` if a merge policy resolved conflicts; else only one-to-one relationships can differ, of which both
    /// sides are stored. O(changed relationships).
    ///
    /// All that objects gain comes before what any of them loses: who has a new partner is not left by the old one.
    mutating func restore(_ lists: [[NSManagedObject]], isDisputed: Bool) throws {
        try visit(lists, isDisputed) { maintenance, object, slot, inverse in
            if object.layout.slots[slot].isToOne {
                try maintenance.gainDestination(object, slot, inverse)
            } else {
                for member in object.linkedMembers(slot)?.added ?? [] {
                    try maintenance.gain(member.object, inverse, object)
                }
            }
        }
        try visit(lists, isDisputed) { maintenance, object, slot, inverse in
            if object.layout.slots[slot].isToOne {
                try maintenance.loseDestination(object, slot, inverse)
            } else {
                for member in object.linkedMembers(slot)?.removed ?? [] {
                    try maintenance.lose(member.object, inverse, object)
                }
            }
        }
    }

    private mutating func visit(
        _ lists: [[NSManagedObject]], _ isDisputed: Bool,
        _ body: (inout InverseMaintenance, NSManagedObject, Int, Int) throws -> Void
    ) throws {
        for list in lists {
            if !isDisputed, list.all({ $0.layout.oneToOneSlots.isEmpty }) { continue }
            for object in list where !object.isDeleted && !object.isFault {
                if !isDisputed, object.layout.oneToOneSlots.isEmpty { continue }
                // One that an undo brought back has all its values, and no changes.
                for slot in isDisputed ? object.layout.relationshipSlots : object.layout.oneToOneSlots
                where object.isInserted || object.changed.contains(slot) {
                    guard let inverse = object.layout.slots[slot].inverseSlot else { continue }
                    try body(&self, object, slot, inverse)
                }
            }
        }
    }

    /// Restores relationships one to one that others made to an object which is deleted here, and whose delete rules
    /// knew nothing of them.
    mutating func restore(deleted objects: [NSManagedObject]) throws {
        if objects.all({ $0.layout.oneToOneSlots.isEmpty }) { return }
        for object in objects {
            for slot in object.layout.oneToOneSlots {
                guard let inverse = object.layout.slots[slot].inverseSlot,
                    let other = object.destination(slot, in: try row(object))
                else { continue }
                try lose(other, inverse, object)
            }
        }
    }

    private mutating func loseDestination(_ object: NSManagedObject, _ slot: Int, _ inverse: Int) throws {
        guard object.snapshot != nil, let old = object.destination(slot, in: try row(object)) else { return }
        if old !== object.destination(slot) { try lose(old, inverse, object) }
    }

    private mutating func gainDestination(_ object: NSManagedObject, _ slot: Int, _ inverse: Int) throws {
        var new = object.destination(slot)
        if let other = new, other.layout.slots[inverse].isToOne, try !agrees(other, inverse, object, slot) {
            object.write(.null, slot)
            object.notifyStoredPartner(slot)
            hasChanged = true
            new = nil
        }
        guard let new else { return }
        if !new.layout.slots[inverse].isToOne {
            // A member that the other side has in the store is no change of it.
            if object.storedPartner(slot) !== new { try gain(new, inverse, object) }
        } else if !new.hasOwnDestination(inverse), let known = new.snapshot {
            let now = try row(new)
            if new.partner(inverse, in: now) === object { return }
            // It was read before another save led it elsewhere.
            if let now, !new.hasChanges, now.version != known.version { new.rebase(onto: now) }
            new.recordChange(inverse)
            new.write(.toOne(object), inverse)
            new.notifyStoredPartner(inverse)
            hasChanged = true
        }
    }

    /// Whether the other side of a one-to-one relationship leads back.
    private func agrees(
        _ other: NSManagedObject, _ inverse: Int, _ object: NSManagedObject, _ slot: Int
    ) throws -> Bool {
        if other.isFault { other.fulfill(for: nil) }
        if other.isDeleted { return false }
        if !object.hasOwnDestination(slot), !other.hasChanges, let now = try row(other) {
            // The two lead to each other as another save left them, which was read of one side only. The other one is
            // no part of this save: it shows what it showed until it is merged.
            return other.partner(inverse, in: now) === object
        }
        return other.destination(inverse) === object
    }

    private mutating func gain(_ other: NSManagedObject, _ slot: Int, _ object: NSManagedObject) throws {
        guard try isOpen(other, slot) else { return }
        other.recordChange(slot)
        other.members(slot).add(object)
        hasChanged = true
    }

    private mutating func lose(_ other: NSManagedObject, _ slot: Int, _ object: NSManagedObject) throws {
        if other.layout.slots[slot].isToOne {
            if other.hasOwnDestination(slot) { return }
            guard stillLeads(other, slot, to: object) else {
                // What it was read with here would be seen again, once the object has no change of its own. Who is part
                // of the save shows what the parent has, after it.
                if !other.changed.contains(slot) { other.unlinkPartner(object, slot) }
                return
            }
            guard try isOpen(other, slot, evenIfChanged: true) else { return }
            // What follows from the other side need not be written, but it has to be part of the save.
            if other.changed.contains(slot), other.destination(slot) !== object { return }
            let leads = other.layout.slots[slot].inverseSlot.map { object.destination($0) != nil } ?? false
            other.losePartner(object, slot, follows: leads && !object.isDeleted)
        } else {
            guard try isOpen(other, slot) else { return }
            other.recordChange(slot)
            other.members(slot).remove(object)
        }
        hasChanged = true
    }

    /// False where the parent has led the object elsewhere, which this context has not read.
    private func stillLeads(_ other: NSManagedObject, _ slot: Int, to object: NSManagedObject) -> Bool {
        guard let parent else { return true }
        return parent.performAndWait {
            let theirs = parent.object(with: other.identity)
            return theirs.isFault || theirs.destination(slot) === parent.object(with: object.identity)
        }
    }

    /// Whether the other side has a row that this save would not write for the relationship's sake. One without changes
    /// of its own is brought up to date, so that nothing else of it is written.
    private func isOpen(_ other: NSManagedObject, _ slot: Int, evenIfChanged: Bool = false) throws -> Bool {
        if other.isFault { other.fulfill(for: nil) }
        guard !other.isDeleted, let known = other.snapshot else { return false }
        if !other.hasChanges {
            guard let now = try row(other) else { return false }
            if now.version != known.version { other.rebase(onto: now) }
        }
        return evenIfChanged || !other.changed.contains(slot)
    }
}

extension NSManagedObject {
    /// The known members of a relationship that is kept in links.
    fileprivate final func linkedMembers(_ slot: Int) -> Members? {
        guard !values.isEmpty, case .toMany(let members) = values[slot], layout.slots[slot].toMany?.hasLinks == true,
            !layout.slots[slot].isTransient
        else { return nil }
        return members
    }
}
