import FirnModel
import Synchronization

/// A property as its accessors name it: a row of the table that the plugin `ManagedClasses` links to a module.
///
///     byte  0   address of the property in memory once it was asked for, 0 before
///     byte  8   its name, as a distance from here (4 bytes)      byte 12   the name's length
///     byte 16   its type's mangled name, likewise                byte 20   that length, 0 for a value's accessors
///               or a function that gives the type                          or the largest number
///
/// Names are ASCII and end with a zero. Rows are of the program, and the property that is made for one stays for ever,
/// so that no thread counts references to what all threads read.
struct ManagedProperty: ~Copyable {
    let key: String
    /// The type of a property whose accessors take any type of one word.
    let type: Any.Type?
    /// The class of the object that it refers to, for a relationship to one.
    private let destination: NSManagedObject.Type?
    /// The class of its members, for a Swift set of objects.
    private let member: NSManagedObject.Type?
    let isOptional: Bool
    /// The number of the layout in which the property was last looked up, and below it the slot.
    private let place = Atomic<UInt64>(0)

    static let rowSize = 24

    /// O(1); the first time, the type is looked up by its name.
    @inline(__always)
    static func at(_ row: UnsafeRawPointer) -> UnsafePointer<ManagedProperty> {
        let known = row.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring)
        if let property = UnsafePointer<ManagedProperty>(bitPattern: known) { return property }
        return make(row)
    }

    /// Where two threads make a property, one of the two is not used.
    @inline(never)
    private static func make(_ row: UnsafeRawPointer) -> UnsafePointer<ManagedProperty> {
        let property = UnsafeMutablePointer<ManagedProperty>.allocate(capacity: 1)
        property.initialize(to: ManagedProperty(row))
        row.assumingMemoryBound(to: Atomic<UInt>.self).pointee
            .store(UInt(bitPattern: property), ordering: .releasing)
        return UnsafePointer(property)
    }

    private init(_ row: UnsafeRawPointer) {
        key = Self.key(row)
        guard let found = Self.type(row + 16) else {
            (type, destination, member, isOptional) = (nil, nil, nil, false)
            return
        }
        type = found
        let wrapped = (found as? any OptionalType.Type)?.wrapped
        let plain = wrapped ?? found
        isOptional = wrapped != nil
        destination = plain as? NSManagedObject.Type
        member = (plain as? any SetType.Type)?.member as? NSManagedObject.Type
    }

    /// Which slot the property is of objects with this layout; nil if it is none. O(1), without a look at its name
    /// where the objects before had the same layout.
    @inline(__always)
    func slot(in layout: EntityLayout) -> Int? {
        let known = place.load(ordering: .relaxed)
        if known >> 32 == UInt64(layout.number) { return Int(truncatingIfNeeded: known & 0xFFFF_FFFF) }
        return find(layout)
    }

    @inline(never)
    private func find(_ layout: EntityLayout) -> Int? {
        guard let slot = layout.slot(named: key) else { return nil }
        place.store(UInt64(layout.number) << 32 | UInt64(slot), ordering: .relaxed)
        return slot
    }

    var isObject: Bool { destination != nil }
    var isSetOfObjects: Bool { member != nil }

    /// Whether an object is of the class that the property is declared with.
    @inline(__always)
    func accepts(_ object: NSManagedObject) -> Bool {
        guard let destination else { return false }
        return Swift.type(of: object) == destination || Self.isKind(object, destination)
    }

    /// Whether all objects are of the class that the property declares for its members.
    func accepts(members objects: [NSManagedObject]) -> Bool {
        guard let member else { return false }
        return objects.allSatisfy { Swift.type(of: $0) == member || Self.isKind($0, member) }
    }

    private static func isKind(_ object: NSManagedObject, _ type: NSManagedObject.Type) -> Bool {
        func isKind<Class>(_ type: Class.Type) -> Bool { object is Class }
        return _openExistential(type as Any.Type, do: isKind)
    }

    /// A name that is kept in a string's own words, or in the program, as literals are.
    /// https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift
    static func key(_ row: UnsafeRawPointer) -> String {
        let bytes = bytes(row + 8)
        guard bytes.count > 15, let start = bytes.baseAddress else { return String(decoding: bytes, as: UTF8.self) }
        let words = (0xD000_0000_0000_0000 | UInt(bytes.count), 0x8000_0000_0000_0000 | UInt(bitPattern: start - 32))
        return unsafeBitCast(words, to: String.self)
    }

    private static func type(_ field: UnsafeRawPointer) -> Any.Type? {
        if field.load(fromByteOffset: 4, as: UInt32.self) == .max {
            let place = field + Int(field.load(as: Int32.self))
            let function = unsafeBitCast(place, to: (@convention(c) () -> UnsafeRawPointer).self)
            return unsafeBitCast(function(), to: Any.Type.self)
        }
        let name = String(decoding: bytes(field), as: UTF8.self)
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

private protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}

private protocol SetType {
    static var member: Any.Type { get }
}

extension Set: SetType {
    static var member: Any.Type { Element.self }
}
