#if SwiftData
import FirnFoundation
import class FirnFoundation.ValueTransformer
import Foundation

/// The models that the entities' names stand for while snapshots are decoded: those of the container whose store reads.
enum SnapshotModels {
    @TaskLocal static var schema: Schema?

    static func shape(of entityName: String) -> ModelShape? {
        let type = schema?.types.first { ModelShape.of($0).entityName == entityName }
        return type.map(ModelShape.of) ?? ModelShape.named(entityName)
    }
}

extension DefaultSnapshot {
    private typealias Key = DataStoreSnapshotCodingKey

    /// Writes the identifier and every property, each under its name.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for property in shape.savedProperties { try encode(property, to: &values) }
    }

    private func encode(_ property: ModelShape.Property, to values: inout KeyedEncodingContainer<Key>) throws {
        let key = Key.modeledProperty(property.name)
        switch property.kind {
        case .relationship(let type):
            let related = relationships[property.name] ?? []
            if type.isToMany { return try values.encode(related, forKey: key) }
            try values.encode(related.first, forKey: key)
        case .attribute(let column):
            guard let stored = attributes[property.name] else { return try values.encodeNil(forKey: key) }
            let value =
                if let column { column.anyValue(stored) } else { property.transformer?.transformedValue(stored) }
            guard let value = value as? any Encodable else {
                throw EncodingError.invalidValue(
                    stored,
                    .init(
                        codingPath: values.codingPath,
                        debugDescription: "\(shape.entityName).\(property.name) has no form that can be encoded: make "
                            + "its type Codable, or let its transformer give Data."))
            }
            try values.encode(value, forKey: key)
        }
    }

    /// Reads what `encode(to:)` wrote. A property that is missing is looked for under its `originalName`; else it has
    /// its default value.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let identifier = try values.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        guard let shape = SnapshotModels.shape(of: identifier.entityName) else {
            throw DecodingError.dataCorruptedError(
                forKey: .persistentIdentifier, in: values,
                debugDescription: "This program has no model \(identifier.entityName): make a Schema of it first.")
        }
        var attributes: [String: Any] = [:]
        var relationships: [String: [PersistentIdentifier]] = [:]
        for property in shape.savedProperties {
            let name = property.storedName(in: values)
            switch property.kind {
            case .relationship(let type):
                relationships[property.name] = try name.map { try Self.models(type, $0, values) } ?? []
            case .attribute(let column):
                attributes[property.name] =
                    if let name { try Self.attribute(property, column, name, values) } else { property.storedDefault }
            }
        }
        self.init(identifier, shape, attributes: attributes, relationships: relationships)
    }

    private static func models(
        _ type: RelationshipType, _ key: Key, _ values: KeyedDecodingContainer<Key>
    ) throws -> [PersistentIdentifier] {
        if try values.decodeNil(forKey: key) { return [] }
        if type.isToMany { return try values.decode([PersistentIdentifier].self, forKey: key) }
        return [try values.decode(PersistentIdentifier.self, forKey: key)]
    }

    private static func attribute(
        _ property: ModelShape.Property, _ column: AnyColumn?, _ key: Key, _ values: KeyedDecodingContainer<Key>
    ) throws -> Any? {
        if try values.decodeNil(forKey: key) { return nil }
        guard let column else {
            return property.transformer?.reverseTransformedValue(try values.decode(Data.self, forKey: key))
        }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Any { try values.decode(type, forKey: key) }
        guard let type = column.valueType as? any Decodable.Type else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: values, debugDescription: "\(column.valueType) is not Decodable.")
        }
        return column.stored(any: try decode(type))
    }

    /// The values of a snapshot of another type, by its encoded form.
    init(_ other: some DataStoreSnapshot) throws {
        if let same = other as? DefaultSnapshot {
            self = same
            return
        }
        self = try EncodedValue.read(EncodedValue.data(of: other))
    }
}

extension ModelShape.Property {
    /// The transformer that stores the values of a transformable attribute.
    fileprivate var transformer: ValueTransformer? {
        (metadata as? Schema.Attribute)?.transformerName
            .flatMap { ValueTransformer(forName: NSValueTransformerName(rawValue: $0)) }
    }

    /// The default value as a managed object has it.
    fileprivate var storedDefault: Any? {
        guard case .attribute(let column) = kind, let defaultValue else { return nil }
        if let column { return column.stored(any: defaultValue) }
        return defaultValue
    }

    /// The name that the values have of the property: its own, or that of an older version.
    fileprivate func storedName(
        in values: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
    ) -> DataStoreSnapshotCodingKey? {
        [name, metadata?.originalName].compactMap { $0 }.map(DataStoreSnapshotCodingKey.modeledProperty)
            .first(where: values.contains)
    }
}
#endif
