/// One computed property, or one stored property of a structure, that a Swift key path leads over.
///
/// A key path holds its steps one after the other, and between two of them the type that the first one leads to. That
/// of a computed property holds what tells it from others: the address of the getter, or that of the entry that the
/// class's table of methods has for it.
///
///     byte 24   the size of all steps, 24 bits
///     byte 32   the first step
///
///     of a step, byte 0    the kind, 7 bits from bit 24: 1 stored in a structure, 2 computed, 4 optional
///                          stored: the offset, 23 bits, and nothing more; optional: nothing more
///                          bit 22: it can be set; bit 19: it has arguments; bits 20 and 21: it has no address
///                byte 8    the getter, or the method's entry
///                byte 16   the code that gets the value
///                byte 24   the code that sets it, if it can be set
///
/// https://github.com/swiftlang/swift/blob/main/stdlib/public/core/KeyPath.swift
public struct KeyPathStep {
    /// The type that has the property.
    public let root: Any.Type
    /// The number that tells the property from all others.
    public let identity: UInt
    /// Whether it is a stored property of a structure, and `identity` its offset.
    public var isStored = false

    /// The number that tells the property at the end of a key path from all others; nil where the path is not one
    /// computed property without arguments. O(1), and allocates nothing.
    public static func identity(ofOnlyStep keyPath: AnyKeyPath) -> UInt? {
        withExtendedLifetime(keyPath) {
            let memory = UnsafeRawPointer(ObjectAddress(of: keyPath).pointer)
            let size = Int(memory.load(fromByteOffset: 24, as: UInt32.self) & 0xFF_FFFF)
            let header = memory.load(fromByteOffset: 32, as: UInt32.self)
            guard size >= 24, header >> 24 & 0x7F == 2, header & 0x38_0000 == 0,
                size == (header & 0x40_0000 == 0 ? 24 : 32)
            else { return nil }
            return memory.load(fromByteOffset: 40, as: UInt.self)
        }
    }

    /// The step of a key path that has no other, and is as in `all(of:)`. O(1), and allocates nothing.
    public static func only(of keyPath: AnyKeyPath) -> KeyPathStep? {
        identity(ofOnlyStep: keyPath).map { KeyPathStep(root: type(of: keyPath).rootType, identity: $0) }
    }

    /// The steps of a key path, those over optionals left out; nil where one is another than a computed property
    /// without arguments or, if `includingStored`, a stored property of a structure.
    public static func all(of keyPath: AnyKeyPath, includingStored: Bool = false) -> [KeyPathStep]? {
        withExtendedLifetime(keyPath) {
            let memory = UnsafeRawPointer(ObjectAddress(of: keyPath).pointer)
            let end = 32 + Int(memory.load(fromByteOffset: 24, as: UInt32.self) & 0xFF_FFFF)
            var steps: [KeyPathStep] = []
            var root: Any.Type = type(of: keyPath).rootType
            var place = 32
            while place < end {
                let header = memory.load(fromByteOffset: place, as: UInt32.self)
                switch header >> 24 & 0x7F {
                case 2 where header & 0x38_0000 == 0:
                    let identity = memory.load(fromByteOffset: place + 8, as: UInt.self)
                    steps.append(KeyPathStep(root: root, identity: identity))
                    place += header & 0x40_0000 == 0 ? 24 : 32
                case 1 where includingStored && header & 0x7F_FFFF < 0x7F_FFFC:
                    let offset = UInt(header & 0x7F_FFFF)
                    steps.append(KeyPathStep(root: root, identity: offset, isStored: true))
                    place += 8
                case 4: place += 8
                default: return nil
                }
                guard place < end else { break }
                root = memory.load(fromByteOffset: place, as: Any.Type.self)
                place += 8
            }
            return steps.isEmpty ? nil : steps
        }
    }
}
