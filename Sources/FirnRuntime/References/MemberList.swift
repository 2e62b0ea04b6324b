/// A reference to a member of a relationship. Two are the same if their objects are.
public protocol MemberReference {
    /// The address of the object.
    var address: ObjectIdentifier { get }
}

/// Members of a relationship in their order, each once, compared by address.
///
///     places   a  b  –  d         c was removed: its place is empty, and no other member moved
///     slots    ·  4  ·  1  3  2   a place plus 1, by the hash of the member's address; 0 is free
///
/// To append, find and remove a member takes O(1) on average. The members move together once more than half of the
/// places are empty. A slot of an empty place remains until then, so that a search passes it.
///
/// Public and inlinable, as other modules would else use it without knowledge of the member's type, which takes ten
/// times as long.
@frozen
public struct MemberList<Member: MemberReference>: Sequence, ExpressibleByArrayLiteral {
    /// Up to this count, comparing all addresses is faster than hashing one.
    @usableFromInline static var scannedCountMax: Int { 8 }

    @usableFromInline var places: [Member?] = []
    /// Empty where the places are few enough to be compared one by one.
    @usableFromInline var slots: [UInt32] = []
    @usableFromInline var emptyCount = 0

    @inlinable
    public init() {}

    @inlinable
    public init(_ members: some Sequence<Member>) { append(contentsOf: members) }

    @inlinable
    public init(arrayLiteral elements: Member...) { append(contentsOf: elements) }

    @inlinable
    public var count: Int { places.count - emptyCount }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    @inlinable
    public var first: Member? { first { _ in true } }

    @inlinable
    public func contains(_ member: Member) -> Bool { place(of: member) != nil }

    /// A number that rises along the list, and stays until a member is removed.
    @inlinable
    public func place(of member: Member) -> Int? {
        let address = member.address
        if slots.isEmpty { return places.firstIndex { $0?.address == address } }
        var slot = firstSlot(address)
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if places[place]?.address == address { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a member at the end. Returns false if the list has it.
    @inlinable
    @discardableResult
    public mutating func append(_ member: Member) -> Bool {
        if contains(member) { return false }
        places.append(member)
        if places.count > Self.scannedCountMax {
            // Two thirds of the slots at most are taken.
            if places.count * 3 > slots.count * 2 { makeSlots() } else { fillSlot(member.address, places.count - 1) }
        }
        return true
    }

    @inlinable
    public mutating func append(contentsOf members: some Sequence<Member>) {
        if isEmpty { places.reserveCapacity(members.underestimatedCount) }
        for member in members { append(member) }
    }

    /// Returns false if the list does not have the member.
    @inlinable
    @discardableResult
    public mutating func remove(_ member: Member) -> Bool {
        guard let place = place(of: member) else { return false }
        places[place] = nil
        emptyCount += 1
        if emptyCount * 2 > places.count { moveTogether() }
        return true
    }

    @inlinable
    public mutating func removeAll(where isRemoved: (Member) throws -> Bool) rethrows {
        for place in places.indices {
            guard let member = places[place], try isRemoved(member) else { continue }
            places[place] = nil
            emptyCount += 1
        }
        if emptyCount * 2 > places.count { moveTogether() }
    }

    @inlinable
    public mutating func removeAll(after count: Int) {
        guard count < self.count else { return }
        var index = 0
        removeAll { _ in
            index += 1
            return index > count
        }
    }

    @inlinable
    public func filter(_ isIncluded: (Member) throws -> Bool) rethrows -> Self {
        var result = self
        try result.removeAll { try !isIncluded($0) }
        return result
    }

    /// The members of this list, then those of another that it does not have.
    @inlinable
    public func union(_ members: some Sequence<Member>) -> Self {
        var result = self
        result.append(contentsOf: members)
        return result
    }

    @inlinable
    public func subtracting(_ other: Self) -> Self { filter { !other.contains($0) } }

    @inlinable
    public var underestimatedCount: Int { count }

    @inlinable
    public func makeIterator() -> Iterator { Iterator(places: places.makeIterator()) }

    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var places: IndexingIterator<[Member?]>

        @inlinable
        init(places: IndexingIterator<[Member?]>) { self.places = places }

        @inlinable
        public mutating func next() -> Member? {
            while let place = places.next() {
                if let place { return place }
            }
            return nil
        }
    }

    @inlinable
    mutating func moveTogether() {
        places.removeAll { $0 == nil }
        emptyCount = 0
        makeSlots()
    }

    @inlinable
    mutating func makeSlots() {
        slots = []
        guard places.count > Self.scannedCountMax else { return }
        slots = Array(repeating: 0, count: 1 << (Int.bitWidth - (places.count * 2 - 1).leadingZeroBitCount))
        for (place, member) in places.enumerated() {
            if let member { fillSlot(member.address, place) }
        }
    }

    @inlinable
    mutating func fillSlot(_ address: ObjectIdentifier, _ place: Int) {
        var slot = firstSlot(address)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(place + 1)
    }

    /// The highest bits of a product with 2⁶⁴ divided by the golden ratio, which spreads neighbouring addresses.
    @inlinable
    func firstSlot(_ address: ObjectIdentifier) -> Int {
        let product = UInt64(UInt(bitPattern: address)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product >> UInt64(64 - slots.count.trailingZeroBitCount))
    }
}

extension MemberList: Equatable {
    /// Whether the lists have the same members in the same order.
    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0.address == $1.address }
    }
}
