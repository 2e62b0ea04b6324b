import FirnRuntime

/// A managed object compared and hashed by its address, which is what uniquing makes an object's identity.
struct ObjectReference: Hashable, MemberReference {
    let object: NSManagedObject

    var address: ObjectIdentifier { ObjectIdentifier(object) }

    init(_ object: NSManagedObject) { self.object = object }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.object === rhs.object }

    func hash(into hasher: inout Hasher) { hasher.combine(address) }

    /// The hash for sets and dictionaries: an address needs no keyed hash.
    func _rawHashValue(seed: Int) -> Int {
        let address = UInt64(UInt(bitPattern: address))
        let mixed = (address ^ UInt64(bitPattern: Int64(seed))) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
    }
}
