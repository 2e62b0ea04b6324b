internal import CObjectMaking

/// A reference that does not keep its object alive, and is nil when the object is gone.
///
/// A `weak` one gives the object a side table, through which every reference to it is counted from then on: too slow
/// for contexts, of which every access of an object takes one. With this one the memory of an object that is gone stays
/// until the reference goes, too. https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
struct FadingReference<Object: AnyObject> {
    private unowned let reference: Object

    init(_ object: Object) { reference = object }

    var object: Object? {
        let address = unsafeBitCast(self, to: UnsafeMutableRawPointer.self)
        guard let alive = retain_if_alive(address) else { return nil }
        return Unmanaged<Object>.fromOpaque(alive).takeRetainedValue()
    }
}
