public import Foundation

/// The object in an `Any`, found without a cast.
public enum BoxedObject {
    /// The address of the object in an `Any` that was made of an expression of the type `NSObject`; nil for any other.
    ///
    /// Sets compare members with `==` of `NSObject`, which passes one of them to `isEqual(_:)` as such an `Any?`. A
    /// cast back to `NSObject` would take longer than the comparison itself, as would `type(of:)`.
    ///
    /// Safe: an `Any` is three words of content and a word with the address of the type's metadata. If that is the
    /// metadata of `NSObject`, the first word is the reference. Any words are valid as integers.
    /// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst
    @inlinable
    public static func reference(in value: Any) -> UncountedReference<NSObject>? {
        // Without `as Any`, the generic function would get the content of the `Any`.
        let words = unsafeBitCast(value as Any, to: (UInt, UInt, UInt, UInt).self)
        guard words.3 == unsafeBitCast(NSObject.self as NSObject.Type, to: UInt.self),
            let pointer = UnsafeMutableRawPointer(bitPattern: words.0)
        else { return nil }
        return UncountedReference(Unmanaged<NSObject>.fromOpaque(pointer))
    }
}
