internal import CObjectMaking
public import Synchronization

/// A class as the runtime knows it, and the uses of one that Swift's own language does not offer.
public enum ObjectClass {
    /// A number that tells a class from all others of the program.
    public static func number(of type: AnyClass) -> UInt { UInt(bitPattern: ObjectIdentifier(type)) }

    /// Makes an object that was made as one class one of another, a subclass that adds no stored properties.
    ///
    /// The first word of an object names its class; key-value observing on Apple's systems changes it in the same way.
    /// Both classes' instances must be of one size, or the runtime would destroy what is not there.
    ///
    /// - Returns: false, and nothing is changed, if the sizes differ.
    public static func change(_ object: AnyObject, to type: AnyClass) -> Bool {
        guard instanceSize(type) == instanceSize(Swift.type(of: object)) else { return false }
        Unmanaged.passUnretained(object).toOpaque()
            .storeBytes(of: unsafeBitCast(type, to: UnsafeRawPointer.self), as: UnsafeRawPointer.self)
        return true
    }

    /// Calls the convenience initializer with the symbol `firn_make_object`, which takes two objects, of a class that
    /// is known only when the program runs. See `making.h`.
    public static func make(_ type: AnyClass, _ first: AnyObject, _ second: AnyObject?) -> AnyObject? {
        let metatype = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let ownedFirst = Unmanaged.passRetained(first).toOpaque()
        let ownedSecond = second.map { Unmanaged.passRetained($0).toOpaque() }
        guard let object = make_object(metatype, ownedFirst, ownedSecond) else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
    }

    /// The method that a class of managed objects has for `validateValue(_:forKey:)`, as a number that tells it from
    /// those of other classes; nil if the program has no managed objects. See `making.h`. O(1)
    public static func validationOfValues(in type: AnyClass) -> UInt? {
        validation_of_values(unsafeBitCast(type, to: UnsafeRawPointer.self)).map { UInt(bitPattern: $0) }
    }

    /// Calls the convenience initializer with the symbol `firn_make_policy`, which takes nothing, in this way.
    public static func makePolicy(_ type: AnyClass) -> AnyObject? {
        make_policy(unsafeBitCast(type, to: UnsafeRawPointer.self))
            .map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }

    /// Calls the convenience initializer with the symbol `firn_make_transformer`, which takes nothing, in this way.
    public static func makeTransformer(_ type: AnyClass) -> AnyObject? {
        make_transformer(unsafeBitCast(type, to: UnsafeRawPointer.self))
            .map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }
}

/// How many bytes an instance of a class takes: the standard library's `_class_getInstancePositiveExtentSize`.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceSize(_ type: AnyClass) -> Int

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
