#if SwiftData
public import protocol FirnFoundation.AnyOptional
public import class FirnFoundation.ValueTransformer

extension Schema {
    /// A property of an entity that holds a value.
    public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        public var name: String
        public var originalName: String
        /// How the values are stored.
        public var options: [Option]
        public var valueType: any Any.Type
        /// The value of the attribute in a new model, and in older rows.
        public var defaultValue: Any?
        public var isOptional: Bool
        /// Gives the attribute another version hash.
        public var hashModifier: String?

        /// Makes an attribute from `@Attribute`. The name and the type are added when a schema is made.
        public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            self.init(
                name: "", originalName: originalName, options: options, valueType: Never.self,
                hashModifier: hashModifier)
        }

        /// An attribute.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            isOptional = valueType is any AnyOptional.Type
            self.hashModifier = hashModifier
        }

        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, valueType, isOptional, hashModifier, defaultValue
        }

        /// An attribute that was encoded.
        public required init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            originalName = try values.decode(String.self, forKey: .originalName)
            options = try values.decode([Option].self, forKey: .options)
            valueType = try values.decode(EncodedType.self, forKey: .valueType).type
            isOptional = try values.decode(Bool.self, forKey: .isOptional)
            hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
            guard let type = valueType as? any Decodable.Type, values.contains(.defaultValue) else { return }
            func decode<Value: Decodable>(_ type: Value.Type) throws -> Any {
                try values.decode(type, forKey: .defaultValue)
            }
            defaultValue = try decode(type)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encode(originalName, forKey: .originalName)
            try values.encode(options, forKey: .options)
            try values.encode(EncodedType(valueType), forKey: .valueType)
            try values.encode(isOptional, forKey: .isOptional)
            try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
            if let value = defaultValue as? any Encodable { try values.encode(value, forKey: .defaultValue) }
        }

        public var isAttribute: Bool { true }
        public var isRelationship: Bool { false }
        public var isTransient: Bool { options.contains(.ephemeral) }
        public var isUnique: Bool { options.contains { $0.kind == Option.unique.kind } }
        /// Whether a `ValueTransformer` stores the values.
        public var isTransformable: Bool { transformerName != nil }
        /// Whether the values are stored as they encode themselves.
        public var isCodable: Bool { options.contains(.codable) }

        var transformerName: String? { options.lazy.compactMap(\.transformerName).first }

        public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
            lhs === rhs
                || (lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.valueType == rhs.valueType
                    && lhs.options == rhs.options && lhs.isOptional == rhs.isOptional
                    && lhs.hashModifier == rhs.hashModifier)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String {
            "\(name): \(valueType)" + (options.isEmpty ? "" : " \(options.map(\.debugDescription))")
        }
    }

    /// An attribute whose value is a structure, each of whose properties is an attribute.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        /// The structure's properties.
        public var properties: [Attribute]

        public override init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            properties = SchemaMaking.compositeProperties(of: valueType)
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType,
                defaultValue: defaultValue, hashModifier: hashModifier)
        }

        private enum CodingKeys: String, CodingKey {
            case properties
        }

        /// A composite attribute that was encoded.
        public required init(from decoder: any Decoder) throws {
            properties = try decoder.container(keyedBy: CodingKeys.self).decode([Attribute].self, forKey: .properties)
            try super.init(from: decoder)
        }

        public override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(properties, forKey: .properties)
        }

        public override var debugDescription: String { super.debugDescription + " \(properties)" }
    }
}

extension Schema.Attribute {
    /// How the values of an attribute are stored.
    public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
        let kind: String
        var transformerName: String?
        var conflictPolicy: UniqueConflictPolicy?

        /// No two models have the same value: one that is saved later takes the place of the other.
        public static var unique: Option { Option(kind: "unique") }
        /// Large values are stored outside of the row.
        public static var externalStorage: Option { Option(kind: "externalStorage") }
        /// Kept in the schema; of no effect here.
        public static var allowsCloudEncryption: Option { Option(kind: "allowsCloudEncryption") }
        /// The history of a deletion has the value.
        public static var preserveValueOnDeletion: Option { Option(kind: "preserveValueOnDeletion") }
        /// The value is tracked, but not saved.
        public static var ephemeral: Option { Option(kind: "ephemeral") }
        /// Kept in the schema; of no effect here.
        public static var spotlight: Option { Option(kind: "spotlight") }
        /// The value is stored as it encodes itself, in JSON. Predicates do not reach into it.
        public static var codable: Option { Option(kind: "codable") }

        /// A transformer of this class stores the value. It has to be registered under the name of its class.
        public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
            let name = String(describing: transformerType)
            // Foundation's own is registered under Apple's shorter name.
            let isFoundations = name == "NSSecureUnarchiveFromDataTransformer"
            return transformable(by: isFoundations ? "NSSecureUnarchiveFromData" : name)
        }

        /// The transformer that is registered under this name stores the value.
        public static func transformable(by transformerName: String) -> Option {
            Option(kind: "transformable", transformerName: transformerName)
        }

        public var debugDescription: String {
            kind + (transformerName.map { "(by: \($0))" } ?? conflictPolicy.map { "(onConflict: \($0))" } ?? "")
        }
    }
}
#endif
