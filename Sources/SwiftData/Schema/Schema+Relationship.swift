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
        public var valueType: any Any.Type {
            get { encodedType.type }
            set { encodedType.type = newValue }
        }
        private var encodedType: EncodedType
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
            encodedType = EncodedType(Never.self)
            destination = ""
            self.deleteRule = deleteRule
            inverseKeyPath = inverse
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.hashModifier = hashModifier
        }

        /// All but the key paths.
        private enum CodingKeys: String, CodingKey {
            case name, originalName, options, encodedType = "valueType", destination, deleteRule, inverseName,
                minimumModelCount, maximumModelCount, hashModifier
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
    }

    /// How models are related.
    public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
        let kind: String

        /// No two models lead to the same one.
        public static var unique: Option { Option(kind: "unique") }
        /// The models of a to-many relationship keep the order of the array. Ours, not Apple's.
        public static var ordered: Option { Option(kind: "ordered") }

        public var debugDescription: String { kind }
    }
}
#endif
