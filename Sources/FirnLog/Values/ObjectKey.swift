/// The number that a store gave an entity when it first saw it. It stays with the entity for the life of the store,
/// also when the entity is renamed, so that keys in old records keep their meaning.
public struct EntityNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An object's identity inside a store: its concrete entity, and a primary key that is unique within the
/// entity's root entity and never given twice.
public struct ObjectKey: Hashable, Comparable, Sendable {
    public var entity: EntityNumber
    public var primaryKey: Int64

    public init(entity: EntityNumber, primaryKey: Int64) {
        self.entity = entity
        self.primaryKey = primaryKey
    }

    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.entity, lhs.primaryKey) < (rhs.entity, rhs.primaryKey)
    }

    /// The hash for sets and dictionaries: one multiplication in place of a keyed hash, since keys are given by the
    /// store, and nobody can choose them so that they collide.
    public func _rawHashValue(seed: Int) -> Int {
        let mixed = (UInt64(bitPattern: primaryKey) ^ UInt64(entity.rawValue) << 40 ^ UInt64(bitPattern: Int64(seed)))
            &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
    }
}

/// One value of one property, in the form in which log and projection keep it.
///
/// How Core Data's attribute types map to it: Boolean and the integers → `integer`; Double, Float and
/// Date (seconds since 2001-01-01 00:00 UTC) → `real`; String, URI and Decimal (its shortest plain notation) →
/// `text`; Binary, UUID (16 bytes) and Transformable → `blob`; a to-one relationship → `reference`.
public enum PropertyValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case reference(ObjectKey)

    public var isNull: Bool { if case .null = self { true } else { false } }

    /// How a column of such values keeps them.
    public var storage: StorageType {
        switch self {
        case .null: .none
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        case .reference: .reference
        }
    }
}
