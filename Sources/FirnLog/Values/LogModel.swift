/// A model as the log describes it: enough to name and type every value, without the program that wrote it.
public struct LogModel: Hashable, Sendable {
    public var entities: [LogEntity]
    /// The whole model in the language of the layer above; opaque here.
    public var document: [UInt8]
    /// How the store came here from the model before; nil for its first one.
    public var migration: LogMigration?

    public init(entities: [LogEntity], document: [UInt8] = [], migration: LogMigration? = nil) {
        self.entities = entities
        self.document = document
        self.migration = migration
    }

    /// Whether both say the same, however a store came to them.
    public func isSame(as other: LogModel) -> Bool {
        entities == other.entities && document == other.document
    }

    /// Complexity: O(entities). Readers of many records build their own index.
    public func entity(_ number: EntityNumber) -> LogEntity? { entities.first { $0.number == number } }
}

public struct LogEntity: Hashable, Sendable {
    public var number: EntityNumber
    public var name: String
    /// The superentity, if any. Primary keys are unique within a root entity.
    public var parent: EntityNumber?
    /// The index is the slot. A subentity's properties begin with its superentity's.
    public var properties: [LogProperty]

    public init(number: EntityNumber, name: String, parent: EntityNumber?, properties: [LogProperty]) {
        self.number = number
        self.name = name
        self.parent = parent
        self.properties = properties
    }
}

public struct LogProperty: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case attribute(AttributeKind)
        case toOne(destination: EntityNumber)
        /// `inverse` is the to-one slot at the destination that stores the members; without one the members are
        /// in links, and `isCanonical` says whether this side names them.
        case toMany(destination: EntityNumber, inverse: UInt16?, isOrdered: Bool, isCanonical: Bool)
        /// The position of an object in the ordered relationship whose inverse is the to-one at `toOne`.
        case position(toOne: UInt16)
        /// Never in the log: transient properties, fetched properties.
        case transient
    }

    public var name: String
    public var kind: Kind

    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    public var storage: StorageType {
        switch kind {
        case .attribute(let attribute): attribute.storage
        case .toOne: .reference
        case .position: .integer
        case .toMany, .transient: .none
        }
    }
}

/// The meaning of an attribute's value. The numbers stand in the log: none is ever given a second meaning.
public enum AttributeKind: UInt8, Hashable, Sendable, CaseIterable {
    case integer16 = 1
    case integer32 = 2
    case integer64 = 3
    case boolean = 4
    case double = 5
    case float = 6
    case decimal = 7
    case string = 8
    case date = 9
    case binary = 10
    case uuid = 11
    case uri = 12
    case transformable = 13
    case objectID = 14

    public var storage: StorageType {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: .integer
        case .double, .float, .date: .real
        case .decimal, .string, .uri, .objectID: .text
        case .binary, .uuid, .transformable: .blob
        }
    }
}
