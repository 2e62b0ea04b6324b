import Foundation
import OrderedCollections

/// The members of one to-many relationship of one object.
///
/// Members that were never read need not be: what this context added and removed is kept as a difference, so that
/// setting one side of a relationship does not load the other.
///
///     members in the store   a b c         (`base`, nil until loaded)
///     added                      d
///     removed                a
///     current                  b c d
final class Members {
    let isOrdered: Bool
    /// What `value(forKey:)` gave last; dropped on change.
    private var cached: NSObject?
    /// All there is to know of the members.
    var state: State { didSet { cached = nil } }

    struct State {
        /// The members as of the last load or save; nil until they are needed.
        var base: OrderedSet<ObjectReference>?
        /// The members now; nil until they are needed.
        var current: OrderedSet<ObjectReference>?
        var added: OrderedSet<ObjectReference> = []
        var removed: OrderedSet<ObjectReference> = []
        /// Members were put at places other than the end, or moved.
        var isReordered = false
    }

    init(isOrdered: Bool, base: OrderedSet<ObjectReference>? = nil) {
        self.isOrdered = isOrdered
        state = State(base: base, current: base)
    }

    var base: OrderedSet<ObjectReference>? { state.base }
    var added: OrderedSet<ObjectReference> { state.added }
    var removed: OrderedSet<ObjectReference> { state.removed }
    var isReordered: Bool { state.isReordered }
    var isLoaded: Bool { state.current != nil }
    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

    /// The members now. `load` reads the stored ones, in order, when they are needed for the first time.
    func members(load: () -> [NSManagedObject]) -> OrderedSet<ObjectReference> {
        if let current = state.current { return current }
        let stored = OrderedSet(load().map(ObjectReference.init))
        state.base = stored
        var now = stored
        now.subtract(state.removed)
        now.formUnion(state.added)
        state.current = now
        return now
    }

    /// The members now, as far as known without reading: nil when not loaded.
    var loaded: OrderedSet<ObjectReference>? { state.current }

    func contains(_ object: NSManagedObject) -> Bool? {
        let reference = ObjectReference(object)
        if let current = state.current { return current.contains(reference) }
        if added.contains(reference) { return true }
        if removed.contains(reference) { return false }
        return nil
    }

    func add(_ object: NSManagedObject) {
        let reference = ObjectReference(object)
        if state.current != nil {
            guard state.current!.append(reference).inserted else { return }
            note(added: reference)
        } else if state.removed.remove(reference) == nil {
            state.added.append(reference)
        } else if isOrdered {
            state.isReordered = true
        }
    }

    func remove(_ object: NSManagedObject) {
        let reference = ObjectReference(object)
        if state.current != nil {
            guard state.current!.remove(reference) != nil else { return }
            note(removed: reference)
        } else if state.added.remove(reference) == nil {
            state.removed.append(reference)
        }
    }

    /// Puts members in this order. The members must be loaded, and the same set.
    func reorder(_ members: OrderedSet<ObjectReference>) {
        state.current = members
        state.isReordered = true
    }

    private func note(added reference: ObjectReference) {
        if state.removed.remove(reference) == nil {
            state.added.append(reference)
        } else if isOrdered {
            state.isReordered = true
        }
    }

    private func note(removed reference: ObjectReference) {
        if state.added.remove(reference) == nil { state.removed.append(reference) }
    }

    /// The members of an earlier state, as a difference from what is stored now.
    func restore(_ old: State, base: OrderedSet<ObjectReference>) {
        let current = old.current ?? base.subtracting(old.removed).union(old.added)
        state = State(
            base: base, current: current, added: current.subtracting(base), removed: base.subtracting(current),
            isReordered: isOrdered && current != base)
    }

    /// What is now becomes what is stored.
    func settle() { state = State(base: state.current, current: state.current) }

    /// Forgets what was read, keeps what was changed here. An order that was set here is a change of the whole list, so
    /// the list stays.
    func unload() {
        guard !state.isReordered else { return }
        state.base = nil
        state.current = nil
    }

    /// Back to what is stored.
    func discardChanges() { state = State(base: state.base, current: state.base) }

    /// The members as `NSSet` or `NSOrderedSet`, made once for each state.
    func collection(load: () -> [NSManagedObject]) -> NSObject {
        if let cached { return cached }
        let objects = members(load: load).map(\.object)
        let made: NSObject = isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
        cached = made
        return made
    }
}
