import FirnRuntime

/// Objects of a context with a certain mark, in the order in which they got it. Keeps them alive.
///
/// The mark in the object's state is the truth; an entry whose object lost it is skipped, and swept when there are
/// many, so that adding and taking away cost a store to memory each.
struct ObjectList {
    let mark: ObjectState
    private var entries: [NSManagedObject] = []
    private(set) var count = 0
    /// How many objects have come in so far: as long as it stays, no new one has.
    private(set) var arrivals = 0
    /// Their set, if a notification will tell of them and they are many: the first `handedOver` of the entries are in
    /// it, or will be.
    private var set: SetAhead?
    private var handedOver = 0
    private let isTold: Bool

    /// The objects with the mark `mark`. If a notification will tell of them (`isTold`), their set is made in time.
    init(_ mark: ObjectState, isTold: Bool = false) { (self.mark, self.isTold) = (mark, isTold) }

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ object: NSManagedObject) {
        guard !object.state.contains(mark) else { return }
        // An object that lost the mark and gets it again may still have its old entry, and would be listed twice.
        if entries.count > count { sweep() }
        object.state.insert(mark)
        entries.append(object)
        count += 1
        arrivals += 1
        if isTold, arrivals % Self.partCount == 0 { handOver() }
    }

    mutating func remove(_ object: NSManagedObject) {
        guard object.state.contains(mark) else { return }
        giveUpSet()
        object.state.remove(mark)
        count -= 1
        if count == 0 { entries.removeAll() } else if entries.count > 2 * count + 64 { sweep() }
    }

    private mutating func sweep() { entries.removeAll { !$0.state.contains(mark) } }

    /// O(1) if none lost the mark since it got it, else O(entries).
    var objects: [NSManagedObject] {
        entries.count == count ? entries : entries.filter { $0.state.contains(mark) }
    }

    mutating func removeAll() {
        giveUpSet()
        entries.forEachUnretained { $0.state.remove(mark) }
        entries.removeAll()
        count = 0
    }

    // MARK: The set

    /// How many objects are handed over at once. With fewer, the save would end before the thread is awake.
    private static let partCount = 4096

    private mutating func handOver() {
        guard entries.count == count, count >= 2 * Self.partCount else { return }
        if set == nil { (set, handedOver) = (SetAhead(), 0) }
        entries.withReferences { set?.add(UnsafeBufferPointer(rebasing: $0[handedOver...])) }
        handedOver = entries.count
    }

    /// The set of the objects, if it is nearly made. The list has it no longer.
    mutating func removeSet() -> Set<NSManagedObject>? {
        guard let set else { return nil }
        self.set = nil
        return entries.withReferences { set.finish(with: UnsafeBufferPointer(rebasing: $0[handedOver...])) }
    }

    /// No other thread touches the objects when this returns.
    mutating func giveUpSet() {
        guard let set else { return }
        self.set = nil
        set.cancel()
    }
}

/// The changes since pending changes were last processed, for `ObjectsDidChange`.
struct PendingChanges {
    var inserted = ObjectList(.pendingInsert, isTold: true)
    var updated = ObjectList(.pendingUpdate, isTold: true)
    var deleted = ObjectList(.pendingDelete, isTold: true)
    var refreshed = ObjectList(.pendingRefresh, isTold: true)
    var invalidated = ObjectList(.pendingInvalidation)
    /// Deleted objects whose delete rules still have to act.
    var undispatchedDeletes: [NSManagedObject] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && undispatchedDeletes.isEmpty
    }

    /// Hands the sets that are nearly made to `told`, which will be asked for those of `change`.
    mutating func moveSets(of change: ObjectChange, to told: inout ToldObjects) {
        if let set = inserted.removeSet() { told.assign(set, of: change.inserted) }
        if let set = updated.removeSet() { told.assign(set, of: change.updated) }
        if let set = deleted.removeSet() { told.assign(set, of: change.deleted) }
        if let set = refreshed.removeSet() { told.assign(set, of: change.refreshed) }
    }

    /// No other thread touches the objects when this returns.
    mutating func giveUpSets() {
        inserted.giveUpSet()
        updated.giveUpSet()
        deleted.giveUpSet()
        refreshed.giveUpSet()
    }

    mutating func removeAll() {
        inserted.removeAll()
        updated.removeAll()
        deleted.removeAll()
        refreshed.removeAll()
        invalidated.removeAll()
        undispatchedDeletes.removeAll()
    }
}

/// The objects with changes, as lists: a set hashes each.
extension NSManagedObjectContext {
    /// The objects that the next save inserts.
    package final var insertedList: [NSManagedObject] { inserted.objects }
    /// The objects that the next save updates.
    package final var updatedList: [NSManagedObject] { updated.objects.filter(\.isUpdated) }
    /// The objects that the next save deletes.
    package final var deletedList: [NSManagedObject] { deleted.objects }
}

/// Sets of objects, of which comparing two costs more than hashing both: `==` of an `NSObject` is `isEqual(_:)` of an
/// `Any`. They get so much room that few members meet while they are filled.
extension Set where Element: AnyObject {
    /// A set of the objects that `object` gives for 0 to `count` - 1. The caller holds them meanwhile.
    @inline(__always)
    init(sizedFor count: Int, _ object: (Int) -> UncountedReference<Element>) {
        var members = Self(minimumCapacity: count * 2)
        members.fill(count, object)
        self = members
    }

    /// Takes in the objects that `object` gives for 0 to `count` - 1. The caller holds them meanwhile.
    ///
    /// Their references are counted in blocks: a count waits until all memory that was written before is there, and
    /// that of a large set is in no cache.
    @inline(__always)
    mutating func fill(_ count: Int, _ object: (Int) -> UncountedReference<Element>) {
        var start = 0
        while start < count {
            let end = Swift.min(start + 128, count)
            for index in start..<end { object(index).retain() }
            // `insert(_:)` would also give back the member, counted once more.
            for index in start..<end { update(with: object(index).consume()) }
            start = end
        }
    }

    init(sizedFor members: [Element]) {
        self = members.withReferences { members in Self(sizedFor: members.count) { members[$0] } }
    }
}
