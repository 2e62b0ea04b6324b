/// A managed object compared and hashed by its address, which is what uniquing makes an object's identity.
struct ObjectReference: Hashable {
    let object: NSManagedObject

    init(_ object: NSManagedObject) { self.object = object }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.object === rhs.object }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}
