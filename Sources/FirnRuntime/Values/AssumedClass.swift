/// Objects of classes that somebody has looked at already: a cast would look again.
public enum AssumedClass {
    /// The object, which is of this class.
    @inlinable
    @inline(__always)
    public static func downcast<Object: AnyObject>(_ object: AnyObject, to type: Object.Type) -> Object {
        unsafeDowncast(object, to: type)
    }
}
