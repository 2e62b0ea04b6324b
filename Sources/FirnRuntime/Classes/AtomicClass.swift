public import Synchronization

/// A class that threads set and read without a lock. Metadata of classes stays for ever, so nothing is counted.
@frozen
public struct AtomicClass: ~Copyable {
    @usableFromInline let pointer = Atomic<UnsafeRawPointer?>(nil)

    @inlinable
    public init() {}

    /// The class as a class of the type `Class.Type`, which is what was stored.
    @inlinable
    @inline(__always)
    public func load<Class: AnyObject>(as type: Class.Type) -> Class.Type? {
        pointer.load(ordering: .acquiring).map { unsafeBitCast($0, to: Class.Type.self) }
    }

    @inlinable
    public func store<Class: AnyObject>(_ type: Class.Type?) {
        pointer.store(type.map { unsafeBitCast($0, to: UnsafeRawPointer.self) }, ordering: .releasing)
    }
}
