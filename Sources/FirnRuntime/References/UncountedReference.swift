public import CObjectMaking

/// A reference that is not counted: somebody else keeps the object alive as long as it is used.
///
/// Counting is what passes over many objects cost: two atomic operations an object, at memory that is in no cache. The
/// owner is named where such a reference is made. https://developer.apple.com/documentation/swift/unmanaged
@frozen
public struct UncountedReference<Object: AnyObject> {
    @usableFromInline let reference: Unmanaged<Object>

    @inlinable
    @inline(__always)
    init(_ reference: Unmanaged<Object>) { self.reference = reference }

    @inlinable
    @inline(__always)
    public init(_ object: Object) { reference = .passUnretained(object) }

    /// A reference that counts once, until `release()` or `consume()`.
    @inlinable
    @inline(__always)
    public static func retaining(_ object: Object) -> Self { Self(.passRetained(object)) }

    /// The object, with a reference of the caller's own.
    @inlinable
    @inline(__always)
    public var object: Object { reference.takeUnretainedValue() }

    /// Calls `body` with the object. No reference is counted meanwhile.
    @inlinable
    @inline(__always)
    public func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try reference._withUnsafeGuaranteedRef(body)
    }

    @inlinable
    @inline(__always)
    public var address: ObjectAddress { ObjectAddress(pointer: reference.toOpaque()) }

    @inlinable
    @inline(__always)
    public func retain() { _ = reference.retain() }

    /// Ends the one count of `retaining(_:)` or `retain()`.
    @inlinable
    @inline(__always)
    public func release() { reference.release() }

    /// The object, with the one count of `retaining(_:)` or `retain()`.
    @inlinable
    @inline(__always)
    public func consume() -> Object { reference.takeRetainedValue() }
}

extension Array where Element: AnyObject {
    /// Calls `body` with references to the elements, which the array keeps alive.
    ///
    /// An array of references and an array of `UncountedReference` are the same words.
    @inlinable
    @inline(__always)
    public func withReferences<Result>(
        _ body: (UnsafeBufferPointer<UncountedReference<Element>>) throws -> Result
    ) rethrows -> Result {
        try withUnsafeBufferPointer { try $0.withMemoryRebound(to: UncountedReference<Element>.self, body) }
    }

    /// Calls `body` with each element. A loop would count a reference to each.
    @inlinable
    @inline(__always)
    public func forEachUnretained(_ body: (Element) throws -> Void) rethrows {
        try withReferences { for reference in $0 { try reference.with(body) } }
    }

    /// Whether `holds` for each element, without counting references. O(count)
    @inlinable
    public func all(_ holds: (Element) -> Bool) -> Bool {
        withReferences { $0.allSatisfy { $0.with(holds) } }
    }

    /// The elements for which `holds`: this very array if it holds for all. O(count)
    @inlinable
    public func filterUnretained(_ holds: (Element) -> Bool) -> [Element] {
        all(holds) ? self : filter(holds)
    }

    /// The objects as a class or a protocol that all of them are; nil if one is not. No object is cast: a look at each
    /// class tells. Both arrays are arrays of references.
    @inlinable
    public func all<Other: AnyObject>(as type: Other.Type) -> [Other]? {
        var last: AnyClass?
        for object in self where Swift.type(of: object) != last {
            last = Swift.type(of: object)
            guard Swift.type(of: object) is Other.Type else { return nil }
        }
        return unsafeBitCast(self, to: [Other].self)
    }
}

extension Array {
    /// Calls `body` with each object, which somebody else keeps alive.
    @inlinable
    @inline(__always)
    public func forEachUnretained<Object>(
        _ body: (Object) throws -> Void
    ) rethrows where Element == UncountedReference<Object> {
        for reference in self { try reference.with(body) }
    }
}

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

/// Sets of objects, of which comparing two costs more than hashing both: `==` of an `NSObject` is `isEqual(_:)` of an
/// `Any`. They get so much room that few members meet while they are filled.
extension Set where Element: AnyObject {
    /// A set of the objects that `object` gives for 0 to `count` - 1. The caller holds them meanwhile.
    @inlinable
    @inline(__always)
    public init(sizedFor count: Int, _ object: (Int) -> UncountedReference<Element>) {
        var members = Self(minimumCapacity: count * 2)
        members.fill(count, object)
        self = members
    }

    /// Takes in the objects that `object` gives for 0 to `count` - 1. The caller holds them meanwhile.
    ///
    /// Their references are counted in blocks: a count waits until all memory that was written before is there, and
    /// that of a large set is in no cache.
    @inlinable
    @inline(__always)
    public mutating func fill(_ count: Int, _ object: (Int) -> UncountedReference<Element>) {
        var start = 0
        while start < count {
            let end = Swift.min(start + 128, count)
            for index in start..<end { object(index).retain() }
            // `insert(_:)` would also give back the member, counted once more.
            for index in start..<end { update(with: object(index).consume()) }
            start = end
        }
    }

    /// A set of the elements of an array.
    @inlinable
    public init(sizedFor members: [Element]) {
        self = members.withReferences { members in Self(sizedFor: members.count) { members[$0] } }
    }
}
