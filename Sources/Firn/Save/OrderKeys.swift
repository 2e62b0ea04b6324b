import FirnModel
import FirnRuntime

/// Gives positions to the members of ordered relationships whose members are told by a to-one.
///
/// A position is stored with the member, next to its to-one. Positions only have to rise along the list, so an append
/// touches the new member alone, whatever the length of the list and without reading it:
///
///     list        a    b         c                 save 7 appends d, save 9 puts e after a
///     position    7·2²⁰  7·2²⁰+1   7·2²⁰+2
enum OrderKeys {
    /// Positions of one save begin here; a save has room for 2²⁰ before it runs into the next one's, which is harmless
    /// as long as it is larger than all before it.
    static func base(sequence: UInt64) -> Int64 { Int64(sequence) << 20 }

    /// Sets the position slots of `owner`'s members where they have to change, and calls `moved` for such a member.
    static func assign(
        _ owner: NSManagedObject, next: inout Int64, moved: (NSManagedObject) throws -> Void
    ) rethrows {
        guard !owner.values.isEmpty else { return }
        for info in owner.layout.orderedSlots where owner.changed.contains(info.index) {
            guard case .toMany(let members) = owner.values[info.index], members.isChanged,
                let toOne = info.inverseSlot
            else { continue }
            if members.isReordered { _ = owner.memberObjects(info.index) }
            if let order = members.loaded {
                try assign(order, stored: members.base ?? [], toOne: toOne, next: &next, moved: moved)
            } else {
                for member in members.added {
                    try set(next, on: member.object, toOne, moved)
                    next += 1
                }
            }
        }
    }

    private static func assign(
        _ order: MemberList<ObjectReference>, stored: MemberList<ObjectReference>, toOne: Int, next: inout Int64,
        moved: (NSManagedObject) throws -> Void
    ) rethrows {
        // The longest start of the list that is as stored keeps its positions; what follows gets new ones, which are
        // larger than all. A change near the end of a long list is then cheap, one near its start is not.
        var last = Int64.min
        var keeps = true
        for member in order {
            let object = member.object
            if keeps, stored.contains(member), let position = object.position(besides: toOne), position > last {
                last = position
                continue
            }
            keeps = false
            // A member that is saved with it may have its place from a save that failed.
            next = max(next, last &+ 1)
            try set(next, on: object, toOne, moved)
            next += 1
        }
    }

    private static func set(
        _ position: Int64, on member: NSManagedObject, _ toOne: Int, _ moved: (NSManagedObject) throws -> Void
    ) rethrows {
        guard let slot = member.layout.positionSlot(besides: toOne) else { return }
        if member.isFault { member.fulfill(for: nil) }
        member.write(.integer(position), slot)
        member.changed.insert(slot)
        try moved(member)
    }
}

extension NSManagedObject {
    /// The stored position of the object in the ordered relationship whose inverse is the to-one at `toOne`.
    fileprivate func position(besides toOne: Int) -> Int64? {
        guard let slot = layout.positionSlot(besides: toOne), case .integer(let value) = read(slot)
        else { return nil }
        return value
    }
}
