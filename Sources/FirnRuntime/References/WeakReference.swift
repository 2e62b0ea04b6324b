/// A reference that does not retain its object, and is nil once the object is released.
///
/// A `weak` reference gives the object a side table, through which every reference to it is counted from then on. That
/// is too slow for contexts, entities and stores, which are retained for every fetched object. With this one an
/// object's memory is freed only when the last such reference is destroyed.
/// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
@frozen
public struct WeakReference<Object: AnyObject> {
    @usableFromInline unowned let reference: Object

    @inlinable
    public init(_ object: Object) { reference = object }

    /// Safe: an `unowned` reference to a Swift class is stored as the object's address, and this structure holds
    /// nothing else. The reference keeps the object's memory allocated, so the address is valid after the object is
    /// released.
    @inlinable
    @inline(__always)
    var address: ObjectAddress { unsafeBitCast(self, to: ObjectAddress.self) }

    /// Whether it refers to `object`, which is alive. The address decides, because the memory of the target is not
    /// reused while this reference exists.
    @inlinable
    public func refers(to object: Object) -> Bool { address == ObjectAddress(of: object) }

    @inlinable
    public var object: Object? { address.alive(as: Object.self) }
}

extension WeakReference: Sendable where Object: Sendable {}

/// A property that does not retain its object and is nil once the object is released.
@propertyWrapper
@frozen
public struct WeaklyReferenced<Object: AnyObject> {
    @usableFromInline var reference: WeakReference<Object>?

    @inlinable
    public init(wrappedValue: Object?) { reference = wrappedValue.map(WeakReference.init) }

    @inlinable
    public var wrappedValue: Object? {
        get { reference?.object }
        set { reference = newValue.map(WeakReference.init) }
    }
}
