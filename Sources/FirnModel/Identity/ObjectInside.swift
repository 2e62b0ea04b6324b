/// The object in an `Any`, without a cast.
package enum ObjectInside {
    /// The object if it is of the very class `type`, and not of a subclass; nil for anything else.
    ///
    /// Sets compare their members by `isEqual(_:)`, which takes an `Any?`. A cast back costs more than the comparison:
    /// what is in an `Any` that says that it is of a class is the reference, in its first word.
    /// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst
    @inline(__always)
    package static func reference<Object: AnyObject>(of value: Any, if type: Object.Type) -> Object? {
        guard Swift.type(of: value) == type else { return nil }
        return withUnsafeBytes(of: value) { $0.load(as: Unmanaged<Object>.self).takeUnretainedValue() }
    }
}
