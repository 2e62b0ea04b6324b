import FirnRuntime

/// Sets that notifications told of, for the next one that tells of the same objects: hashing each again would be a good
/// part of a large save. Holds nothing of a save that is over.
struct ToldObjects {
    /// The last one.
    private var objects: [NSManagedObject] = []
    private var set: Set<NSManagedObject> = []
    /// The ones before.
    private var known: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        if self.objects.isSame(as: objects) { return set }
        for (list, set) in known where list.isSame(as: objects) { return set }
        let set = Set(sizedFor: objects)
        assign(set, of: objects)
        return set
    }

    /// Remembers a set for when somebody asks for it.
    mutating func assign(_ set: Set<NSManagedObject>, of objects: [NSManagedObject]) {
        // The sets of the event before, and of this one, each under five keys.
        if known.count >= 10 { known.removeAll() }
        if !self.objects.isEmpty { known.append((self.objects, self.set)) }
        (self.objects, self.set) = (objects, set)
    }

    mutating func discard() {
        if objects.isEmpty { return }
        known.removeAll()
        objects.removeAll()
        set.removeAll()
    }
}

extension Array where Element == NSManagedObject {
    /// Whether the objects are the same, in the same order. O(1) for copies of one array, else O(count).
    func isSame(as other: Self) -> Bool {
        withReferences { mine in
            other.withReferences { its in
                if mine.count != its.count { return false }
                if mine.baseAddress == its.baseAddress { return true }
                return zip(mine, its).allSatisfy { $0.address == $1.address }
            }
        }
    }
}
