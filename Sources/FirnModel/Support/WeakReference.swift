internal import CObjectMaking

/// A reference that does not retain its object, and is nil once the object is released.
///
/// A `weak` reference gives the object a side table, through which every reference to it is counted from then on. That
/// is too slow for contexts, entities and stores, which are retained for every fetched object. With this one an
/// object's memory is freed only when the last such reference is destroyed.
/// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
package struct WeakReference<Object: AnyObject> {
    private unowned let reference: Object

    package init(_ object: Object) { reference = object }

    /// Safe: an `unowned` reference to a Swift class is stored as the object's address, and this structure holds
    /// nothing else. The reference keeps the object's memory allocated, so the address is valid after the object is
    /// released.
    private var address: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }

    /// Whether it refers to `object`, which is alive. The address decides, because the memory of the target is not
    /// reused while this reference exists.
    package func refers(to object: Object) -> Bool { address == Unmanaged.passUnretained(object).toOpaque() }

    package var object: Object? {
        // Safe: the runtime has retained the object, which `takeRetainedValue` balances.
        guard let alive = retain_if_alive(address) else { return nil }
        return Unmanaged<Object>.fromOpaque(alive).takeRetainedValue()
    }
}

extension WeakReference: @unchecked Sendable where Object: Sendable {}

/// A property that does not retain its object and is nil once the object is released.
@propertyWrapper
package struct WeaklyReferenced<Object: AnyObject> {
    private var reference: WeakReference<Object>?

    package init(wrappedValue: Object?) { reference = wrappedValue.map(WeakReference.init) }

    package var wrappedValue: Object? {
        get { reference?.object }
        set { reference = newValue.map(WeakReference.init) }
    }
}
