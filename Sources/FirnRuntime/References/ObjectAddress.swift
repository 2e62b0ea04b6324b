public import CObjectMaking

/// Where an object is, or was.
///
/// An address keeps nothing alive. With `holdMemory()` the object's memory stays allocated after the object is gone, so
/// that the address is not another object's and `alive(as:)` may be asked. Every `holdMemory()` wants one
/// `releaseMemory()`. The counts are the runtime's for `unowned` references:
/// https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
@frozen
public struct ObjectAddress: Hashable {
    @usableFromInline let pointer: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    init(pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    @inlinable
    @inline(__always)
    public init(of object: AnyObject) { pointer = Unmanaged.passUnretained(object).toOpaque() }

    @inlinable
    public func holdMemory() { hold_memory(pointer) }

    @inlinable
    public func releaseMemory() { release_memory(pointer) }

    /// Whether the object is being destroyed or is gone. Its memory must be held.
    @inlinable
    public var isGone: Bool { is_gone(pointer) }

    /// The object, unless it is being destroyed or is gone. Its memory must be held, and it must be of the class.
    @inlinable
    @inline(__always)
    public func alive<Object: AnyObject>(as type: Object.Type) -> Object? {
        // The runtime has retained the object, which `takeRetainedValue` balances.
        guard let alive = retain_if_alive(pointer) else { return nil }
        return Unmanaged<Object>.fromOpaque(alive).takeRetainedValue()
    }
}
