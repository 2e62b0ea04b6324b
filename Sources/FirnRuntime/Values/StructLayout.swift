@_spi(Reflection) import Swift

/// The stored properties of structures known only at run time: their places, and values made from them.
///
/// The runtime's reflection names each stored property with its offset and type; a value of a structure is those
/// properties at their offsets. https://github.com/swiftlang/swift/blob/main/stdlib/public/core/ReflectionMirror.swift
public enum StructLayout {
    /// A stored property.
    public struct Field {
        public let name: String
        public let offset: Int
        public let type: Any.Type
    }

    /// The stored properties of a structure in their order; nil for another kind of type.
    public static func fields(of type: Any.Type) -> [Field]? {
        guard kind(of: type) == Self.structKind else { return nil }
        var fields: [Field] = []
        let isComplete = _forEachField(of: type) { name, offset, type, _ in
            fields.append(Field(name: String(cString: name), offset: offset, type: type))
            return true
        }
        return isComplete ? fields : nil
    }

    /// The stored property at an offset of a value, which must be a field of its type.
    public static func read<Value, Field>(_ value: Value, at offset: Int, as type: Field.Type) -> Field {
        withUnsafeBytes(of: value) { bytes in
            guard let start = bytes.baseAddress else { fatalError("\(Value.self) has no stored properties to read") }
            return start.advanced(by: offset).assumingMemoryBound(to: Field.self).pointee
        }
    }

    /// A value whose stored properties `body` sets, each once, at the offsets that `fields(of:)` gave.
    public static func make<Value>(_ type: Value.Type, _ body: (Memory) -> Void) -> Value {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { memory.deallocate() }
        body(Memory(start: UnsafeMutableRawPointer(memory)))
        return memory.move()
    }

    /// A value that is being made.
    public struct Memory {
        fileprivate let start: UnsafeMutableRawPointer

        /// Gives the stored property at an offset its value.
        public func set<Field>(_ value: Field, at offset: Int) {
            start.advanced(by: offset).assumingMemoryBound(to: Field.self).initialize(to: value)
        }
    }

    /// The first case of an enumeration without payloads, whose bits are all zero; nil for another kind of type.
    public static func firstCase<Value>(of type: Value.Type) -> Value? {
        guard kind(of: type) == enumKind, (1...4).contains(MemoryLayout<Value>.size) else { return nil }
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { memory.deallocate() }
        UnsafeMutableRawPointer(memory).initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Value>.size)
        return memory.move()
    }

    private static let enumKind = 0x201
    private static let structKind = 0x200

    /// The first word of a type's metadata, for types that are no classes.
    private static func kind(of type: Any.Type) -> Int {
        unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee
    }
}
