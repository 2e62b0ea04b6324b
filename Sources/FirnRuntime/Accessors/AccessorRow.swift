public import Synchronization

/// A property as its accessors name it: a row of the table that the plugin `ManagedClasses` links to a module. In
/// memory it is the address of the row, which is what an accessor passes.
///
///     byte  0   address of the value that was made for the row, 0 before
///     byte  8   its name, as a distance from here (4 bytes)      byte 12   the name's length
///     byte 16   its type's mangled name, likewise                byte 20   that length, 0 for a value's accessors
///               or a function that gives the type                          or the largest number
///
/// Names are ASCII and end with a zero. Rows are of the program, so they are there for ever.
@frozen
public struct AccessorRow {
    @usableFromInline let start: UnsafeRawPointer

    static let size = 24

    init(_ start: UnsafeRawPointer) { self.start = start }

    /// The value that `make` gives for the row, made once; it stays for ever, so that no thread counts references to
    /// what all threads read. Where two threads make one, one of the two is not used. O(1)
    @inlinable
    @inline(__always)
    public func value<Value: ~Copyable>(_ make: (AccessorRow) -> Value) -> UnsafePointer<Value> {
        let known = start.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
        if let value = UnsafePointer<Value>(bitPattern: known) { return value }
        return made(make)
    }

    @usableFromInline
    @inline(never)
    func made<Value: ~Copyable>(_ make: (AccessorRow) -> Value) -> UnsafePointer<Value> {
        let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        value.initialize(to: make(self))
        start.assumingMemoryBound(to: Atomic<UInt>.self).pointee.store(UInt(bitPattern: value), ordering: .releasing)
        return UnsafePointer(value)
    }

    /// A name that is kept in a string's own words, or in the program, as literals are. A long one beyond ASCII is
    /// copied.
    /// https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift
    public var name: String {
        let bytes = Self.bytes(start + 8)
        guard bytes.count > 15, bytes.allSatisfy({ $0 < 0x80 }), let start = bytes.baseAddress else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let words = (0xD000_0000_0000_0000 | UInt(bytes.count), 0x8000_0000_0000_0000 | UInt(bitPattern: start - 32))
        return unsafeBitCast(words, to: String.self)
    }

    /// The property's type; nil for accessors of one type of value.
    public var type: Any.Type? {
        let field = start + 16
        if field.load(fromByteOffset: 4, as: UInt32.self) == .max {
            let place = field + Int(field.load(as: Int32.self))
            let function = unsafeBitCast(place, to: (@convention(c) () -> UnsafeRawPointer).self)
            return unsafeBitCast(function(), to: Any.Type.self)
        }
        let name = String(decoding: Self.bytes(field), as: UTF8.self)
        if name.isEmpty { return nil }
        guard let found = _typeByName(name) else {
            fatalError("the type of an @NSManaged property, \(name), is not in the program")
        }
        return found
    }

    private static func bytes(_ field: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let count = Int(field.load(fromByteOffset: 4, as: UInt32.self))
        return UnsafeRawBufferPointer(start: field + Int(field.load(as: Int32.self)), count: count)
    }
}

/// Values that accessors pass in one register, whatever their type is.
@frozen
public enum AccessorWord {
    /// The value as it is returned, with a reference of its own.
    public static func word<Value>(of value: Value) -> UInt {
        guard MemoryLayout<Value>.size <= MemoryLayout<UInt>.size else {
            fatalError("\(Value.self) is more than one word")
        }
        var word: UInt = 0
        withUnsafeMutablePointer(to: &word) {
            _ = UnsafeMutableRawPointer($0).initializeMemory(as: Value.self, to: value)
        }
        return word
    }

    /// The value that was passed, with its reference. What of the register is not the value's is not read.
    public static func value<Value>(of word: UInt, as type: Value.Type) -> Value {
        guard MemoryLayout<Value>.size <= MemoryLayout<UInt>.size else {
            fatalError("\(Value.self) is more than one word")
        }
        var word = word
        return withUnsafeMutablePointer(to: &word) {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self).move()
        }
    }

    /// An object as it is returned, with a reference of its own.
    @inlinable
    public static func word(retaining object: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    }
}
