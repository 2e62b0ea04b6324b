extension Set {
    /// A set with so much room that few of its members meet while it is filled. For objects, of which comparing two
    /// costs more than hashing both: `==` of an `NSObject` is `isEqual(_:)` of an `Any`.
    @inlinable
    init(roomy members: some Collection<Element>) {
        self.init(minimumCapacity: members.count * 2)
        for member in members { insert(member) }
    }
}
