#if SwiftData
public import Foundation

/// The models of a container as entities.
///
/// https://developer.apple.com/documentation/swiftdata/schema
public final class Schema: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The version of the form in which schemas are encoded.
    public static let schemaEncodingVersion = Version(1, 0, 0)

    /// The version of the form in which this schema was encoded.
    public let encodingVersion: Version
    /// The version of the models.
    public let version: Version
    /// The entities, each after its superentity.
    public let entities: [Entity]
    /// The entities by name.
    public let entitiesByName: [String: Entity]
    /// The classes of the entities that were made from classes.
    let types: [any PersistentModel.Type]

    /// A schema without entities.
    public init() {
        encodingVersion = Self.schemaEncodingVersion
        version = Version(1, 0, 0)
        entities = []
        entitiesByName = [:]
        types = []
    }

    /// A schema of these entities.
    public init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        encodingVersion = Self.schemaEncodingVersion
        self.version = version
        self.entities = entities
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        types = []
    }

    /// A schema of these models, of those that they are related to, and of their superclasses.
    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    /// A schema of these models, of those that they are related to, and of their superclasses.
    public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        let shapes = ModelShape.closure(of: types)
        encodingVersion = Self.schemaEncodingVersion
        self.version = version
        entities = SchemaMaking.entities(of: shapes)
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        self.types = shapes.map(\.type)
    }

    /// The schema of a version.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    private enum CodingKeys: String, CodingKey {
        case encodingVersion, version, entities
    }

    /// A schema that was encoded. Its models are those of the program that have the entities' names.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        encodingVersion = try values.decode(Version.self, forKey: .encodingVersion)
        version = try values.decode(Version.self, forKey: .version)
        entities = try values.decode([Entity].self, forKey: .entities)
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        types = []
        for entity in entities {
            entity.superentity = entity.superentityName.flatMap { entitiesByName[$0] }
            entity.superentity?.subentities.insert(entity)
        }
    }

    /// Writes the schema to a file.
    public func save(to toURL: URL) throws { try JSONEncoder().encode(self).write(to: toURL) }

    /// The schema that was written to a file.
    public static func load(from fromURL: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
    }

    /// The entity of a model.
    public func entity<T: PersistentModel>(for type: T.Type) -> Entity? { entitiesByName[Self.entityName(for: type)] }

    /// The name of a model's entity: that of its class, without the types it is in.
    public static func entityName<T: PersistentModel>(for type: T.Type) -> String { String(describing: type) }

    public static func == (lhs: Schema, rhs: Schema) -> Bool {
        lhs === rhs || (lhs.version == rhs.version && Set(lhs.entities) == Set(rhs.entities))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(entitiesByName.keys.sorted())
    }

    public var debugDescription: String {
        "Schema \(version): " + entities.map(\.debugDescription).joined(separator: "; ")
    }
}
#endif
