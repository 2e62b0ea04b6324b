import FirnRuntime
public import Foundation

/// The set that `mutableSetValue(forKey:)` gives, which is the relationship itself. What is added and taken away is
/// tracked, and the inverse kept.
final class MutableMembers: NSMutableSet {
    private let owner: NSManagedObject
    private let slot: Int

    init(of owner: NSManagedObject, _ slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        fatalError("a relationship's set is made by mutableSetValue(forKey:)")
    }

    required init?(coder: NSCoder) {
        fatalError("a relationship's set cannot be archived: archive the IDs of its members")
    }

    private var objects: [NSManagedObject] { owner.memberObjects(slot) }

    override var count: Int { owner.loadedMembers(slot).count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject else { return nil }
        return owner.loadedMembers(slot).contains(ObjectReference(object)) ? object : nil
    }

    override func objectEnumerator() -> NSEnumerator { (objects as NSArray).objectEnumerator() }

    override func add(_ object: Any) { owner.insertMember(owner.member(object, slot), slot) }

    override func remove(_ object: Any) {
        if let member = member(object) as? NSManagedObject { owner.removeMember(member, slot) }
    }

    override func copy(with zone: NSZone? = nil) -> Any { NSSet(array: objects) }

    override func mutableCopy(with zone: NSZone? = nil) -> Any { NSMutableSet(array: objects) }
}

extension NSManagedObject {
    final func mutableMembers(_ key: String) -> NSMutableSet {
        let slot = knownSlot(key)
        guard let toMany = layout.slots[slot].toMany, !toMany.isOrdered else {
            fatalError(
                "\"\(key)\" of \(entity.name ?? "?") is not an unordered to-many relationship: use "
                    + "mutableOrderedSetValue(forKey:), or value(forKey:) and setValue(_:forKey:)")
        }
        return MutableMembers(of: self, slot)
    }

    /// A member as it was handed to one of the mutable collections.
    final func member(_ object: Any, _ slot: Int) -> NSManagedObject {
        guard let object = object as? NSManagedObject else {
            fatalError(
                "\"\(layout.slots[slot].name)\" of \(entity.name ?? "?") holds managed objects, not \(object)")
        }
        return object
    }
}

extension NSManagedObject {
    /// The unordered to-many relationship that a key path ends in, as `mutableSetValue(forKey:)` has it.
    public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = lastStep(of: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// The ordered to-many relationship that a key path ends in, as `mutableOrderedSetValue(forKey:)` has it.
    public func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = lastStep(of: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    private func lastStep(of keyPath: String) -> (owner: NSManagedObject, key: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        let path = String(keyPath[..<dot])
        guard let owner = value(forKeyPath: path) as? NSManagedObject else {
            fatalError("\"\(path)\" of \(entity.name ?? "?") leads to no object, so \"\(keyPath)\" has no collection")
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }
}
