import FirnRuntime

/// Relationships as a front of the engine reads and sets them that knows their kind: without a set made for the call.
extension NSManagedObject {
    /// The object at the other end of a to-one relationship. Fires a fault.
    package final func destination(at place: borrowing SlotLookup) -> NSManagedObject? {
        destination(relationshipSlot(place))
    }

    /// Sets a to-one relationship, as `setValue(_:forKey:)` does.
    package final func setDestination(_ object: NSManagedObject?, at place: borrowing SlotLookup) {
        setDestination(object, relationshipSlot(place))
    }

    /// Transforms the members of a to-many relationship. They are in the relationship's order, else saved objects by
    /// their primary keys, then new ones in the order in which they were made. Fires a fault.
    package final func mapMembers<T>(at place: borrowing SlotLookup, _ transform: (NSManagedObject) -> T) -> [T] {
        let slot = relationshipSlot(place)
        let members = loadedMembers(slot)
        let isInOrder = layout.slots[slot].toMany?.isOrdered == true
            || zip(members, members.dropFirst()).allSatisfy { $0.object.ordinal < $1.object.ordinal }
        if isInOrder { return members.map { transform($0.object) } }
        return members.sorted { $0.object.ordinal < $1.object.ordinal }.map { transform($0.object) }
    }

    /// Replaces the members of a to-many relationship, as `setValue(_:forKey:)` does.
    package final func setMembers(_ objects: [NSManagedObject], at place: borrowing SlotLookup) {
        setMembers(objects, relationshipSlot(place))
    }

    /// Adds members at the end, as `setMembers(_:at:)` does with a list that begins with the old members.
    package final func addMembers(_ objects: [NSManagedObject], at place: borrowing SlotLookup) {
        let slot = relationshipSlot(place)
        recordChange(slot)
        for object in objects { insertMember(object, slot) }
    }

    /// Removes members, as `setMembers(_:at:)` does with a list without them.
    package final func removeMembers(_ objects: [NSManagedObject], at place: borrowing SlotLookup) {
        let slot = relationshipSlot(place)
        recordChange(slot)
        for object in objects { removeMember(object, slot) }
    }

    /// The difference between two lists of members of a to-many relationship.
    package final func membersVersion(at place: borrowing SlotLookup) -> MembersVersion {
        MembersVersion(members(relationshipSlot(place)))
    }

    /// Whether the object comes before another: saved ones by their primary keys, then new ones as they were made.
    package final func precedes(_ other: NSManagedObject) -> Bool { ordinal < other.ordinal }

    /// Orders saved objects by their primary keys, and after them new ones, whose keys are negative and fall.
    private var ordinal: UInt64 {
        key.primaryKey < 0 ? 1 << 63 | key.primaryKey.magnitude : UInt64(key.primaryKey)
    }

    private func relationshipSlot(_ place: borrowing SlotLookup) -> Int {
        guard let slot = place.slot(in: layout) else {
            fatalError("the entity \(entity.name ?? "?") has no relationship \"\(place.key)\": it is of another model")
        }
        return slot
    }
}

/// The members of one to-many relationship at one time.
package struct MembersVersion: Equatable {
    private let members: Members
    private let version: Int
    /// How many there are; nil before they are read.
    package let count: Int?

    init(_ members: Members) {
        self.members = members
        version = members.version
        count = members.loaded?.count
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.members === rhs.members && lhs.version == rhs.version
    }
}
