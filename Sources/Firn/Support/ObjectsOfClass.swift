extension [NSManagedObject] {
    /// The same objects as a class or a protocol that all of them are; nil if one is not. No object is cast: a look at
    /// each class tells.
    @usableFromInline
    func all<T: AnyObject>(as type: T.Type) -> [T]? {
        var last: AnyClass?
        for object in self where Swift.type(of: object) != last {
            last = Swift.type(of: object)
            guard Swift.type(of: object) is T.Type else { return nil }
        }
        // Both arrays are arrays of references.
        return unsafeBitCast(self, to: [T].self)
    }
}
