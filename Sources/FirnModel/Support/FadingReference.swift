internal import CObjectMaking

/// A reference that does not keep its object alive, and is nil when the object is gone.
///
/// A `weak` one gives the object a side table, through which every reference to it is counted from then on: too slow
/// for what is taken with every object that a fetch finds: its context, its entity, its store. With this one the memory
/// of an object that is gone stays until the reference goes, too.
/// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
package struct FadingReference<Object: AnyObject> {
    private unowned let reference: Object

    package init(_ object: Object) { reference = object }

    private var address: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }

    /// Whether it is `object`, which is alive: no other one gets the memory of the one that is referred to.
    package func refers(to object: Object) -> Bool { address == Unmanaged.passUnretained(object).toOpaque() }

    package var object: Object? {
        guard let alive = retain_if_alive(address) else { return nil }
        return Unmanaged<Object>.fromOpaque(alive).takeRetainedValue()
    }
}

extension FadingReference: @unchecked Sendable where Object: Sendable {}

/// A property that is nil when its object is gone, and keeps none alive: a `FadingReference` that may be none.
@propertyWrapper
package struct Fading<Object: AnyObject> {
    private var reference: FadingReference<Object>?

    package init(wrappedValue: Object?) { reference = wrappedValue.map(FadingReference.init) }

    package var wrappedValue: Object? {
        get { reference?.object }
        set { reference = newValue.map(FadingReference.init) }
    }
}
