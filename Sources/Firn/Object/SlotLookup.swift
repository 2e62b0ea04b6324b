import Synchronization

/// The slot of a property, remembered from the last object that was asked: most have the same layout.
package struct SlotLookup: ~Copyable {
    package let key: String
    /// The number of the layout in which the property was last looked up, and below it the slot.
    private let place = Atomic<UInt64>(0)

    package init(_ key: String) { self.key = key }

    /// The property's slot in objects with this layout; nil if it is none. O(1), without a look at its name where the
    /// objects before had the same layout.
    @inline(__always)
    func slot(in layout: EntityLayout) -> Int? {
        let known = place.load(ordering: .relaxed)
        if known >> 32 == UInt64(layout.number) { return Int(truncatingIfNeeded: known & 0xFFFF_FFFF) }
        return find(layout)
    }

    @inline(never)
    private func find(_ layout: EntityLayout) -> Int? {
        guard let slot = layout.slot(named: key) else { return nil }
        place.store(UInt64(layout.number) << 32 | UInt64(slot), ordering: .relaxed)
        return slot
    }
}
