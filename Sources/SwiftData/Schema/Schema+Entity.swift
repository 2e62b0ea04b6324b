#if SwiftData
extension Schema {
    /// A model as stores know it.
    public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
        /// The name of the class, without the types it is in.
        public var name: String
        /// The entities of the classes below.
        public var subentities: Set<Entity> = []
        /// The name of the entity of the class above.
        public var superentityName: String?
        /// The entity of the class above.
        public weak var superentity: Entity?
        /// The properties that the class declares.
        public var storedProperties: [any SchemaProperty] = []
        /// The properties that the classes above declare.
        public var inheritedProperties: [any SchemaProperty] = []
        /// The names of the properties that together are unique.
        public var uniquenessConstraints: [[String]] = []
        /// The names of the properties that together are indexed.
        public var indices: [[String]] = []
        /// The numbers of the indexes that are spatial.
        var spatialIndices: Set<Int> = []

        /// An entity without properties.
        public init(_ name: String) { self.name = name }

        /// An entity.
        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name)
            self.subentities = Set(subentities)
            storedProperties = properties
            for entity in subentities {
                entity.superentityName = name
                entity.superentity = self
            }
        }

        /// An entity without entities below.
        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name)
            storedProperties = properties
        }

        /// All properties.
        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

        /// The attributes, inherited ones included.
        public var attributes: Set<Attribute> {
            get { Set(properties.compactMap { $0 as? Attribute }) }
            set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Attribute } }
        }

        /// The relationships, inherited ones included.
        public var relationships: Set<Relationship> {
            get { Set(properties.compactMap { $0 as? Relationship }) }
            set { replace(newValue.map { $0 as any SchemaProperty }) { $0 is Relationship } }
        }

        /// The attributes by name.
        public var attributesByName: [String: Attribute] {
            get { Dictionary(attributes.map { ($0.name, $0) }) { first, _ in first } }
            set { attributes = Set(newValue.values) }
        }

        /// The relationships by name.
        public var relationshipsByName: [String: Relationship] {
            get { Dictionary(relationships.map { ($0.name, $0) }) { first, _ in first } }
            set { relationships = Set(newValue.values) }
        }

        /// The properties that the class declares, by name.
        public var storedPropertiesByName: [String: any SchemaProperty] {
            get { Dictionary(storedProperties.map { ($0.name, $0) }) { first, _ in first } }
            set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
        }

        /// The properties that the classes above declare, by name.
        public var inheritedPropertiesByName: [String: any SchemaProperty] {
            get { Dictionary(inheritedProperties.map { ($0.name, $0) }) { first, _ in first } }
            set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
        }

        private func replace(_ properties: [any SchemaProperty], _ isOld: (any SchemaProperty) -> Bool) {
            let inherited = Set(inheritedProperties.map(\.name))
            storedProperties = storedProperties.filter { !isOld($0) }
                + properties.filter { !inherited.contains($0.name) }.sorted { $0.name < $1.name }
        }

        private enum CodingKeys: String, CodingKey {
            case name, superentityName, attributes, composites, relationships, uniquenessConstraints, indices, spatial
        }

        /// An entity that was encoded.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            superentityName = try values.decodeIfPresent(String.self, forKey: .superentityName)
            uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
            indices = try values.decode([[String]].self, forKey: .indices)
            spatialIndices = try values.decode(Set<Int>.self, forKey: .spatial)
            let attributes = try values.decode([Attribute].self, forKey: .attributes)
            let composites = try values.decode([CompositeAttribute].self, forKey: .composites)
            storedProperties = attributes as [any SchemaProperty] + composites
            storedProperties += try values.decode([Relationship].self, forKey: .relationships)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encodeIfPresent(superentityName, forKey: .superentityName)
            try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
            try values.encode(indices, forKey: .indices)
            try values.encode(spatialIndices, forKey: .spatial)
            let attributes = storedProperties.compactMap { $0 as? Attribute }
            try values.encode(attributes.filter { !($0 is CompositeAttribute) }, forKey: .attributes)
            try values.encode(attributes.compactMap { $0 as? CompositeAttribute }, forKey: .composites)
            try values.encode(storedProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
        }

        public static func == (lhs: Entity, rhs: Entity) -> Bool {
            lhs === rhs
                || (lhs.name == rhs.name && lhs.superentityName == rhs.superentityName
                    && lhs.attributes == rhs.attributes && lhs.relationships == rhs.relationships
                    && lhs.uniquenessConstraints == rhs.uniquenessConstraints && lhs.indices == rhs.indices)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String {
            "\(name)(" + properties.map { "\($0)" }.joined(separator: ", ") + ")"
        }
    }
}
#endif
