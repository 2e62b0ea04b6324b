import FirnRuntime

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
