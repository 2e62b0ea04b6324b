import Foundation
import FirnRuntime

/// The members of one to-many relationship of one object.
///
/// Members that were never read need not be: what this context added and removed is kept as a difference, so that
/// setting one side of a relationship does not load the other. One side is read, and says what is a change of both.
///
///     members in the store   a b c         (`base`, nil until loaded)
///     added                      d
///     removed                a
///     current                  b c d
final class Members {
    let isOrdered: Bool
    /// Whether a store has members to read; those of a transient relationship are here only.
    let isStored: Bool
    /// The last result of `value(forKey:)`; dropped on change.
    private var cached: NSObject?
    /// The set that an accessor set last; dropped on change.
    private var cachedSet: Set<NSManagedObject>?
    /// All there is to know of the members.
    var state: State {
        didSet {
            cached = nil
            cachedSet = nil
            version &+= 1
        }
    }
    /// Another number after each change.
    private(set) var version = 0

    struct State {
        /// The members as of the last load or save; nil until they are needed.
        var base: MemberList<ObjectReference>?
        /// The members now; nil until they are needed.
        var current: MemberList<ObjectReference>?
        var added: MemberList<ObjectReference> = []
        var removed: MemberList<ObjectReference> = []
        /// The removed members that were found to have another owner, or to be deleted, when the members were read.
        var left: MemberList<ObjectReference> = []
        /// Members were put at places other than the end, or moved.
        var isReordered = false
        /// The order that was set here, while the members themselves have to be read again.
        var order: MemberList<ObjectReference>?
        /// The members that were added before the members were read: those that return come last too.
        var last: MemberList<ObjectReference> = []

        /// Ends what was changed here of a member.
        mutating func dropChange(of member: ObjectReference) {
            added.remove(member)
            removed.remove(member)
            last.remove(member)
        }

        /// Leaves out what was deleted since by a save: no save would take it.
        func withoutGone() -> State {
            var result = self
            result.current?.removeAll { $0.object.state.contains(.gone) }
            result.left.removeAll { $0.object.state.contains(.gone) }
            return result
        }

        /// Readmits the members that had left and have returned, because their deletion was undone.
        mutating func readmitReturned(isGone: (NSManagedObject) -> Bool) {
            let back = left.filter { !isGone($0.object) }
            if back.isEmpty { return }
            left.removeAll(where: back.contains)
            removed.removeAll(where: back.contains)
            guard let current, let base else { return }
            added.append(contentsOf: back.filter { !base.contains($0) })
            let known = current.union(back)
            self.current = isReordered ? known : base.filter(known.contains).union(known)
        }
    }

    init(isOrdered: Bool, isStored: Bool, base: MemberList<ObjectReference>? = nil) {
        self.isOrdered = isOrdered
        self.isStored = isStored
        state = State(base: base, current: base)
    }

    var base: MemberList<ObjectReference>? { state.base }
    var added: MemberList<ObjectReference> { state.added }
    var removed: MemberList<ObjectReference> { state.removed }
    var isReordered: Bool { state.isReordered }
    var isLoaded: Bool { state.current != nil }
    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

    /// The result of reading the stored members.
    struct Loaded {
        /// In their order.
        var stored: [NSManagedObject] = []
        /// The stored members that this context has given another owner, or deleted, while the members were not known
        /// here.
        var left: [NSManagedObject] = []
    }

    /// The members now. `load` reads the stored ones when they are needed for the first time.
    func members(load: () -> Loaded) -> MemberList<ObjectReference> {
        if let current = state.current { return current }
        let loaded = load()
        let stored = MemberList(loaded.stored.map(ObjectReference.init))
        // Others may have made the same changes meanwhile.
        state.added.removeAll(where: stored.contains)
        let left = state.left
        state.removed.removeAll { left.contains($0) || !stored.contains($0) }
        state.left = MemberList(loaded.left.map(ObjectReference.init)).subtracting(state.removed)
        state.removed.append(contentsOf: state.left)
        state.base = stored
        var now = stored
        now.removeAll(where: state.removed.contains)
        now.append(contentsOf: state.added)
        if let order = state.order {
            now = order.filter(now.contains).union(now)
            state.order = nil
        }
        if state.isReordered { now = now.subtracting(state.last).union(state.last.filter(now.contains)) }
        state.last = []
        state.current = now
        return now
    }

    /// The members now, as far as known without reading: nil when not loaded.
    var loaded: MemberList<ObjectReference>? { state.current }

    func contains(_ object: NSManagedObject) -> Bool? {
        let reference = ObjectReference(object)
        if let current = state.current { return current.contains(reference) }
        if added.contains(reference) { return true }
        if removed.contains(reference) { return false }
        return nil
    }

    /// Adds a member at the end. As long as the members are not loaded, `isStored` says whether the store has it: then
    /// nothing but its earlier removal is taken back.
    func add(_ object: NSManagedObject, isStored: @autoclosure () -> Bool = false) {
        let reference = ObjectReference(object)
        if state.current != nil {
            guard state.current!.append(reference) else { return }
            record(added: reference)
        } else {
            let returns = state.removed.remove(reference)
            if returns, isOrdered { state.isReordered = true }
            let isAdded = !isStored() && state.added.append(reference)
            if returns || isAdded { state.last.append(reference) }
        }
    }

    /// Removes a member. As long as the members are not loaded, `isStored` says whether the store has it: else nothing
    /// but its earlier addition is taken back.
    func remove(_ object: NSManagedObject, isStored: @autoclosure () -> Bool = true) {
        let reference = ObjectReference(object)
        if state.current != nil {
            guard state.current!.remove(reference) else { return }
            record(removed: reference)
        } else {
            state.added.remove(reference)
            state.last.remove(reference)
            if isStored() { state.removed.append(reference) }
        }
    }

    /// Puts members in this order. The members must be loaded, and the same set.
    func reorder(_ members: MemberList<ObjectReference>) {
        state.current = members
        state.isReordered = true
    }

    /// The members in front stay, and the others are put in this order, if they are in another.
    func reorder(keeping count: Int, then rest: MemberList<ObjectReference>) {
        guard var current = state.current, !current.dropFirst(count).elementsEqual(rest) else { return }
        current.removeAll(after: count)
        reorder(current.union(rest))
    }

    /// The difference between the members and others that replace them.
    struct Change {
        /// How many members in front stay where they are.
        var keptCount = 0
        /// The new members after those.
        var rest: MemberList<ObjectReference> = []
        var removed: [ObjectReference] = []
        var added: [ObjectReference] = []
    }

    /// A function of its own: while it holds the members, adding one copies them all.
    func change(to new: [NSManagedObject], load: () -> Loaded) -> Change {
        let now = members(load: load)
        var change = Change()
        var lastKept: ObjectReference?
        for (member, object) in zip(now, new) {
            guard member.object === object else { break }
            change.keptCount += 1
            lastKept = member
        }
        let last = lastKept.flatMap(now.place) ?? -1
        change.rest = MemberList(
            new.dropFirst(change.keptCount).lazy.map(ObjectReference.init)
                .filter { (now.place(of: $0) ?? .max) > last })
        change.removed = now.dropFirst(change.keptCount).filter { !change.rest.contains($0) }
        for member in change.rest where !now.contains(member) { change.added.append(member) }
        return change
    }

    /// A set differs by few members from the one that an accessor read: each of its members costs a look-up.
    func change(to new: Set<NSManagedObject>, load: () -> Loaded) -> Change {
        let now = members(load: load)
        var change = Change()
        change.added = new.map(ObjectReference.init).filter { !now.contains($0) }
        if now.count + change.added.count > new.count { change.removed = now.filter { !new.contains($0.object) } }
        return change
    }

    private func record(added reference: ObjectReference) {
        if !state.removed.remove(reference) {
            state.added.append(reference)
        } else if isOrdered {
            state.isReordered = true
        }
    }

    private func record(removed reference: ObjectReference) {
        if !state.added.remove(reference) { state.removed.append(reference) }
    }

    /// The members of an earlier state, as a difference from what is stored now. Of those that had left by then, the
    /// ones that are back since are members again.
    func restore(_ old: State, base: MemberList<ObjectReference>, isGone: (NSManagedObject) -> Bool = { _ in true }) {
        var old = old
        old.readmitReturned(isGone: isGone)
        let current = old.current ?? base.subtracting(old.removed).union(old.added)
        state = State(
            base: base, current: current, added: current.subtracting(base), removed: base.subtracting(current),
            left: old.left, isReordered: isOrdered && current != base)
    }

    /// A member is rewritten, and its membership with it: that is a change of this side, whose place stays.
    func renew(_ object: NSManagedObject) {
        let reference = ObjectReference(object)
        state.removed.remove(reference)
        state.base?.remove(reference)
        state.current?.append(reference)
        state.added.append(reference)
    }

    /// A member is gone from its store: nothing of it is left, and that is no change of this side.
    func discard(_ object: NSManagedObject) {
        let reference = ObjectReference(object)
        state.dropChange(of: reference)
        state.base?.remove(reference)
        state.current?.remove(reference)
    }

    /// Asks the store again about a member, since what this side knows of it is out of date.
    func reconsider(_ object: NSManagedObject) {
        guard isStored else { return }
        state.dropChange(of: ObjectReference(object))
        unload()
    }

    /// The other side has read that the store is as this side would have it: that is no change of this side either.
    func discardChange(of object: NSManagedObject) {
        if !isLoaded { state.dropChange(of: ObjectReference(object)) }
    }

    /// Deletions were taken back: those of the members that had left and are back are members again, and those that
    /// were deleted as the owner was, and still are, leave. What is stored is not asked, as another save may have
    /// changed it, which the context has not merged. Returns whether some of the stored members have left.
    func reconsiderLeft(isGone: (NSManagedObject) -> Bool) -> Bool {
        if !state.left.isEmpty { state.readmitReturned(isGone: isGone) }
        guard let current = state.current, let base = state.base else { return false }
        let leaving = base.filter { current.contains($0) && isGone($0.object) }
        if leaving.isEmpty { return false }
        state.current?.removeAll(where: leaving.contains)
        state.removed.append(contentsOf: leaving)
        state.left.append(contentsOf: leaving)
        return true
    }

    /// Makes the current members the stored ones.
    func acceptChanges() { state = State(base: state.current, current: state.current) }

    /// Forgets what was read, keeps what was changed here. In an order that was set here, what others add comes last.
    func unload() {
        guard isStored else { return }
        if state.isReordered, let current = state.current { state.order = current }
        state.base = nil
        state.current = nil
    }

    /// Back to what is stored.
    func discardChanges() { state = State(base: state.base, current: state.base) }

    /// The members as a set, in memory of its own unless an accessor set it.
    func set(load: () -> Loaded) -> Set<NSManagedObject> {
        if let cachedSet { return cachedSet }
        return Set(sizedFor: members(load: load).map(\.object))
    }

    /// Keeps the set that the members were made, so that an accessor need not make it again.
    func cache(_ set: Set<NSManagedObject>) {
        if state.current?.count == set.count { cachedSet = set }
    }

    /// The members as `NSSet` or `NSOrderedSet`, made once for each state.
    func collection(load: () -> Loaded) -> NSObject {
        if let cached { return cached }
        let objects = members(load: load).map(\.object)
        let made: NSObject = isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
        cached = made
        return made
    }
}
