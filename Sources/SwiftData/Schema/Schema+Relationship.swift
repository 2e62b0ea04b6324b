#if SwiftData
extension Schema {
    /// A property of an entity that leads to other models.
    /// https://developer.apple.com/documentation/swiftdata/schema/relationship
    public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        public var name: String
        public var originalName: String
        /// The property in the model's class; nil of a relationship that was decoded.
        public var keypath: AnyKeyPath?
        /// `.unique`, or none.
        public var options: [Option]
        public var valueType: any Any.Type
        /// The name of the other entity.
        public var destination: String
        /// The rule for the related models when the model is deleted.
        public var deleteRule: DeleteRule
        /// The name of the property that leads back.
        public var inverseName: String?
        /// The property that leads back.
        public var inverseKeyPath: AnyKeyPath?
        /// How many models there have to be at a save; 0 and nil set no bound.
        public var minimumModelCount: Int?
        /// How many models there may be at a save; 0 and nil set no bound.
        public var maximumModelCount: Int?
        /// Gives the relationship another version hash.
        public var hashModifier: String?

        /// Makes a relationship from `@Relationship`. Name, type and destination are empty until a schema is made.
        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Never.self
            destination = ""
            self.deleteRule = deleteRule
            inverseKeyPath = inverse
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.hashModifier = hashModifier
        }

        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, valueType, destination, deleteRule, inverseName, minimumModelCount,
                maximumModelCount, hashModifier
        }

        /// A relationship that was encoded. It has no key paths.
        public required init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            originalName = try values.decode(String.self, forKey: .originalName)
            options = try values.decode([Option].self, forKey: .options)
            valueType = try values.decode(EncodedType.self, forKey: .valueType).type
            destination = try values.decode(String.self, forKey: .destination)
            deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
            inverseName = try values.decodeIfPresent(String.self, forKey: .inverseName)
            minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimumModelCount)
            maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximumModelCount)
            hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encode(originalName, forKey: .originalName)
            try values.encode(options, forKey: .options)
            try values.encode(EncodedType(valueType), forKey: .valueType)
            try values.encode(destination, forKey: .destination)
            try values.encode(deleteRule, forKey: .deleteRule)
            try values.encodeIfPresent(inverseName, forKey: .inverseName)
            try values.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
            try values.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
            try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }

        public var isAttribute: Bool { false }
        public var isRelationship: Bool { true }
        public var isTransient: Bool { false }
        public var isUnique: Bool { options.contains(.unique) }
        /// Whether it leads to one model at most.
        public var isToOneRelationship: Bool { RelationshipType(valueType)?.isToMany == false }

        public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
            lhs === rhs
                || (lhs.name == rhs.name && lhs.originalName == rhs.originalName
                    && lhs.valueType == rhs.valueType && lhs.destination == rhs.destination
                    && lhs.options == rhs.options && lhs.deleteRule == rhs.deleteRule
                    && lhs.inverseName == rhs.inverseName && lhs.minimumModelCount == rhs.minimumModelCount
                    && lhs.maximumModelCount == rhs.maximumModelCount && lhs.hashModifier == rhs.hashModifier)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String {
            "\(name): \(destination)\(isToOneRelationship ? "" : " to many"), \(deleteRule.rawValue)"
                + (inverseName.map { ", inverse \($0)" } ?? "")
        }
    }
}

extension Schema.Relationship {
    /// The rule for related models when a model is deleted.
    public enum DeleteRule: String, Codable, Equatable, Hashable, Sendable {
        /// They are left as they are.
        case noAction
        /// They lose the deleted model.
        case nullify
        /// They are deleted too.
        case cascade
        /// The model cannot be deleted while there are any.
        case deny

        public var rawValue: String {
            switch self {
            case .noAction: "noAction"
            case .nullify: "nullify"
            case .cascade: "cascade"
            case .deny: "deny"
            }
        }
    }

    /// How models are related.
    public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
        let kind: String

        /// No two models lead to the same one.
        public static var unique: Option { Option(kind: "unique") }
        /// The models of a to-many relationship keep the order of the array. Ours, not Apple's.
        public static var ordered: Option { Option(kind: "ordered") }

        private enum CodingKeys: CodingKey {
            case kind
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(kind, forKey: .kind)
        }

        public var debugDescription: String { kind }
    }
}
#endif
