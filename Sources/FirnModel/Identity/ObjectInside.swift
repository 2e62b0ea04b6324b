import Foundation

/// The object in an `Any`, without a cast.
package enum ObjectInside {
    /// Where the object is, if the `Any` was made of what is declared an `NSObject`; nil for anything else.
    ///
    /// Sets compare their members by `==` of `NSObject`, which hands one of them to `isEqual(_:)` of the other as an
    /// `Any?` of just that kind. A cast back costs more than the comparison, and asking for its class as much. What is
    /// in an `Any`: the reference, in the first of three words, and the declared type.
    /// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst
    package static func address(of value: Any) -> UnsafeMutableRawPointer? {
        // Without the cast the function would be given what is in the `Any`.
        let words = unsafeBitCast(value as Any, to: (UInt, UInt, UInt, UInt).self)
        guard words.3 == unsafeBitCast(NSObject.self as NSObject.Type, to: UInt.self) else { return nil }
        return UnsafeMutableRawPointer(bitPattern: words.0)
    }
}
