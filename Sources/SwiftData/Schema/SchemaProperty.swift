#if SwiftData
import protocol FirnFoundation.AnyOptional

/// A property of an entity, or something about several of them.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
    /// The property's name.
    var name: String { get set }
    /// The name it had in an older schema.
    var originalName: String { get set }
    /// The type of its values.
    var valueType: any Any.Type { get set }
    /// Whether it holds a value.
    var isAttribute: Bool { get }
    /// Whether it leads to other models.
    var isRelationship: Bool { get }
    /// Whether it is not saved.
    var isTransient: Bool { get }
    /// Whether it may be nil.
    var isOptional: Bool { get }
    /// Whether no two models may have the same value.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// False unless the property says otherwise.
    public var isAttribute: Bool { false }
    /// False unless the property says otherwise.
    public var isRelationship: Bool { false }
    /// False unless the property says otherwise.
    public var isTransient: Bool { false }
    /// Whether the type of the values is an optional.
    public var isOptional: Bool { valueType is any AnyOptional.Type }
}

/// A type in an encoded schema: its mangled name.
struct EncodedType: Codable {
    var type: Any.Type

    init(_ type: Any.Type) { self.type = type }

    init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let type = _typeByName(name) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This program has no type \(name)."))
        }
        self.type = type
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(_mangledTypeName(type) ?? String(reflecting: type))
    }
}

extension Schema {
    /// The metadata of a property that `@Model` writes down.
    public struct PropertyMetadata {
        let name: String
        let keypath: AnyKeyPath
        let defaultValue: Any?
        let metadata: (any SchemaProperty)?

        /// A property with its default value, and what its attribute says.
        public init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}
#endif
