import FirnRuntime
import FirnStore
import Foundation

/// The ordered set that `mutableOrderedSetValue(forKey:)` gives, which is the relationship itself. What is added, moved
/// and taken away is tracked, and the inverse kept.
///
/// Foundation lets some ways of reading an ordered set not be overridden (iteration, `firstObject`, `lastObject`):
/// these read what the set itself holds. That is the members as of its last use; all else is answered by the
/// relationship.
final class MutableOrderedMembers: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let slot: Int
    /// While the members are taken into the set's own storage, Foundation's methods find that instead of the
    /// relationship.
    private var isHolding = false
    /// The members that the set itself holds.
    private var heldVersion: MembersVersion?

    init(of owner: NSManagedObject, _ slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
        hold()
    }

    override init(capacity numItems: Int) {
        fatalError("a relationship's ordered set is made by mutableOrderedSetValue(forKey:)")
    }

    required convenience init(arrayLiteral elements: Any...) {
        fatalError("a relationship's ordered set is made by mutableOrderedSetValue(forKey:)")
    }

    required init?(coder: NSCoder) {
        fatalError("a relationship's ordered set cannot be archived: archive the IDs of its members")
    }

    /// For messages.
    var name: String { "\"\(owner.layout.slots[slot].name)\" of \(owner.entity.name ?? "?")" }

    private var members: NSOrderedSet { NSOrderedSet(array: owner.memberObjects(slot)) }

    /// Takes the members into the set's own storage.
    private func hold() {
        if isHolding || heldVersion == MembersVersion(owner.members(slot)) { return }
        let objects = owner.memberObjects(slot)
        changeHeld {
            var same = 0
            while same < Swift.min(super.count, objects.count), super.object(at: same) as AnyObject === objects[same] {
                same += 1
            }
            while super.count > same { super.removeObject(at: super.count - 1) }
            for index in same..<objects.count { super.insert(objects[index], at: index) }
        }
    }

    /// Changes the set's own storage to the members.
    private func changeHeld(_ change: () -> Void) {
        isHolding = true
        change()
        isHolding = false
        heldVersion = MembersVersion(owner.members(slot))
    }

    /// Removes one member: none that stays is looked at.
    private func removeHeld(_ member: NSManagedObject, at index: Int) {
        owner.removeMember(member, slot)
        let count = owner.loadedMembers(slot).count
        if count == super.count - 1 { changeHeld { super.removeObject(at: index) } } else { hold() }
    }

    /// Makes the members what `change` makes of them.
    private func edit(_ change: (NSMutableOrderedSet) -> Void) {
        let wanted = NSMutableOrderedSet(array: owner.memberObjects(slot))
        change(wanted)
        owner.setMembers(wanted.array.map { owner.member($0, slot) }, slot)
        hold()
    }

    /// As `edit(_:)`, at a place that the members have, or at one of `room` more.
    private func edit(at place: Int, room: Int = 0, _ change: (NSMutableOrderedSet) -> Void) {
        check(place, below: owner.loadedMembers(slot).count + room)
        edit(change)
    }

    private func edit(at places: IndexSet, room: Int = 0, _ change: (NSMutableOrderedSet) -> Void) {
        check(places, below: owner.loadedMembers(slot).count + room)
        edit(change)
    }

    // `array` and `set` ask for the count first.
    override var count: Int {
        hold()
        return super.count
    }

    override func object(at idx: Int) -> Any {
        hold()
        if !isHolding { check(idx, below: super.count) }
        return super.object(at: idx)
    }
    override func objects(at indexes: IndexSet) -> [Any] {
        let members = members
        check(indexes, below: members.count)
        return members.objects(at: indexes)
    }
    override func index(of object: Any) -> Int { isHolding ? super.index(of: object) : members.index(of: object) }
    override func contains(_ object: Any) -> Bool {
        if isHolding { return super.contains(object) }
        return (object as? NSManagedObject).map { owner.loadedMembers(slot).contains(ObjectReference($0)) } ?? false
    }
    override func isEqual(to other: NSOrderedSet) -> Bool { members.isEqual(to: other) }
    override func intersects(_ other: NSOrderedSet) -> Bool { members.intersects(other) }
    override func intersectsSet(_ set: Set<AnyHashable>) -> Bool { members.intersectsSet(set) }
    override func isSubset(of other: NSOrderedSet) -> Bool { members.isSubset(of: other) }
    override func copy(with zone: NSZone? = nil) -> Any { members }
    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableOrderedSet(orderedSet: members) }

    override func insert(_ object: Any, at idx: Int) { edit(at: idx, room: 1) { $0.insert(object, at: idx) } }
    override func insert(_ objects: [Any], at indexes: IndexSet) {
        edit(at: indexes, room: indexes.count) {
            check(objects, indexes)
            $0.insert(objects, at: indexes)
        }
    }
    override func add(_ object: Any) {
        hold()
        let member = owner.member(object, slot)
        owner.insertMember(member, slot)
        let count = owner.loadedMembers(slot).count
        if count == super.count + 1 { changeHeld { super.insert(member, at: super.count) } } else { hold() }
    }
    override func addObjects(from array: [Any]) { edit { $0.addObjects(from: array) } }
    override func setObject(_ obj: Any, at idx: Int) { edit(at: idx, room: 1) { $0.setObject(obj, at: idx) } }
    override func replaceObject(at idx: Int, with object: Any) {
        edit(at: idx) { $0.replaceObject(at: idx, with: object) }
    }
    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        edit(at: indexes) {
            check(objects, indexes)
            $0.replaceObjects(at: indexes, with: objects)
        }
    }
    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        edit(at: idx1) {
            check(idx2, below: $0.count)
            $0.exchangeObject(at: idx1, withObjectAt: idx2)
        }
    }
    override func moveObjects(at indexes: IndexSet, to idx: Int) {
        edit(at: indexes) {
            check(idx, below: $0.count - indexes.count + 1)
            $0.moveObjects(at: indexes, to: idx)
        }
    }
    override func remove(_ object: Any) {
        let members = owner.memberObjects(slot)
        guard let index = members.firstIndex(where: { $0 === object as AnyObject }) else { return }
        hold()
        removeHeld(members[index], at: index)
    }
    override func removeObject(at idx: Int) {
        hold()
        check(idx, below: super.count)
        if let member = super.object(at: idx) as? NSManagedObject { removeHeld(member, at: idx) }
    }
    override func removeObjects(at indexes: IndexSet) { edit(at: indexes) { $0.removeObjects(at: indexes) } }
    override func removeObjects(in range: NSRange) {
        edit {
            check(range, below: $0.count)
            $0.removeObjects(in: range)
        }
    }
    override func removeObjects(in array: [Any]) { edit { $0.removeObjects(in: array) } }
    override func removeAllObjects() { edit { $0.removeAllObjects() } }
    // Foundation's own never ends on Linux.
    override func intersect(_ other: NSOrderedSet) {
        edit { wanted in wanted.removeObjects(in: wanted.array.filter { !other.contains($0) }) }
    }
    override func minus(_ other: NSOrderedSet) { edit { $0.minus(other) } }
    override func union(_ other: NSOrderedSet) { edit { $0.union(other) } }
    override func intersectSet(_ other: Set<AnyHashable>) { edit { $0.intersectSet(other) } }
    override func minusSet(_ other: Set<AnyHashable>) { edit { $0.minusSet(other) } }
    override func unionSet(_ other: Set<AnyHashable>) { edit { $0.unionSet(other) } }
    override func sort(comparator cmptr: (Any, Any) -> ComparisonResult) { edit { $0.sort(comparator: cmptr) } }
    override func sort(options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult) {
        edit { $0.sort(options: opts, usingComparator: cmptr) }
    }
    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        edit {
            check(range, below: $0.count)
            $0.sortRange(range, options: opts, usingComparator: cmptr)
        }
    }
}

extension NSManagedObject {
    final func mutableOrderedMembers(_ key: String) -> NSMutableOrderedSet {
        let slot = knownSlot(key)
        guard let toMany = layout.slots[slot].toMany, toMany.isOrdered else {
            fatalError(
                "\"\(key)\" of \(entity.name ?? "?") is not an ordered to-many relationship: use "
                    + "mutableSetValue(forKey:), or value(forKey:) and setValue(_:forKey:)")
        }
        return MutableOrderedMembers(of: self, slot)
    }
}
