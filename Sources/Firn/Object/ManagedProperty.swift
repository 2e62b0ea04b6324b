import protocol FirnFoundation.AnyOptional
import FirnModel
import FirnRuntime

/// The property behind the accessors of an `@NSManaged` member, made once for each row of their table.
struct ManagedProperty: ~Copyable {
    private let place: SlotLookup
    /// The type of a property whose accessors take any type of one word.
    let type: Any.Type?
    /// The class of the object that it refers to, for a relationship to one.
    private let destination: NSManagedObject.Type?
    /// The class of its members, for a Swift set of objects.
    private let member: NSManagedObject.Type?
    let isOptional: Bool

    var key: String { place.key }

    /// O(1); the first time, the type is looked up by its name.
    @inline(__always)
    static func at(_ row: AccessorRow) -> UnsafePointer<ManagedProperty> { row.value { ManagedProperty($0) } }

    private init(_ row: AccessorRow) {
        place = SlotLookup(row.name)
        guard let found = row.type else {
            (type, destination, member, isOptional) = (nil, nil, nil, false)
            return
        }
        type = found
        let wrapped = (found as? any AnyOptional.Type)?.wrappedType
        let plain = wrapped ?? found
        isOptional = wrapped != nil
        destination = plain as? NSManagedObject.Type
        member = (plain as? any SetType.Type)?.member as? NSManagedObject.Type
    }

    /// The property's slot in objects with this layout; nil if it is none. O(1), without a look at its name where the
    /// objects before had the same layout.
    @inline(__always)
    func slot(in layout: EntityLayout) -> Int? { place.slot(in: layout) }

    var isObject: Bool { destination != nil }
    var isSetOfObjects: Bool { member != nil }

    /// Whether an object is of the class that the property is declared with.
    @inline(__always)
    func accepts(_ object: NSManagedObject) -> Bool {
        guard let destination else { return false }
        return Swift.type(of: object) == destination || Self.isKind(object, destination)
    }

    /// Whether all objects are of the class that the property declares for its members.
    func accepts(members objects: Set<NSManagedObject>) -> Bool {
        guard let member else { return false }
        return objects.allSatisfy { Swift.type(of: $0) == member || Self.isKind($0, member) }
    }

    private static func isKind(_ object: NSManagedObject, _ type: NSManagedObject.Type) -> Bool {
        func isKind<Class>(_ type: Class.Type) -> Bool { object is Class }
        return _openExistential(type as Any.Type, do: isKind)
    }
}

private protocol SetType {
    static var member: Any.Type { get }
}

extension Set: SetType {
    static var member: Any.Type { Element.self }
}
