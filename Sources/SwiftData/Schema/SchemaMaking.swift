#if SwiftData
public import FirnModel

/// Makes entities from the shapes of models.
enum SchemaMaking {
    static func entities(of shapes: [ModelShape]) -> [Schema.Entity] {
        var entities: [String: Schema.Entity] = [:]
        return shapes.map { shape in
            let entity = Schema.Entity(shape.entityName)
            entities[shape.entityName] = entity
            entity.storedProperties = shape.ownProperties.map { property($0, of: shape) }
            entity.inheritedProperties = shape.superclass?.properties.map { property($0, of: shape) } ?? []
            entity.uniquenessConstraints = shape.uniquenessConstraints
            entity.indices = shape.indices.map(\.names)
            entity.spatialIndices = Set(shape.indices.indices.filter { shape.indices[$0].isSpatial })
            if let parent = shape.superclass.flatMap({ entities[$0.entityName] }) {
                entity.superentity = parent
                entity.superentityName = parent.name
                parent.subentities.insert(entity)
            }
            return entity
        }
    }

    private static func property(_ property: ModelShape.Property, of shape: ModelShape) -> any SchemaProperty {
        switch property.kind {
        case .relationship(let type): relationship(property, type, of: shape)
        case .attribute(let column): attribute(property, column)
        }
    }

    private static func relationship(
        _ property: ModelShape.Property, _ type: RelationshipType, of shape: ModelShape
    ) -> Schema.Relationship {
        let said = property.metadata as? Schema.Relationship
        let made = Schema.Relationship(
            deleteRule: said?.deleteRule ?? .nullify, minimumModelCount: said?.minimumModelCount ?? 0,
            maximumModelCount: said?.maximumModelCount ?? 0, hashModifier: said?.hashModifier)
        made.name = property.name
        made.originalName = said.flatMap { $0.originalName.isEmpty ? nil : $0.originalName } ?? property.name
        made.options = said?.options ?? []
        made.keypath = property.keyPath
        made.valueType = property.valueType
        made.destination = ModelShape.of(type.destination).entityName
        let inverse = shape.inverse(of: property)
        made.inverseName = inverse?.name
        made.inverseKeyPath = inverse?.keyPath
        return made
    }

    private static func attribute(_ property: ModelShape.Property, _ column: AnyColumn?) -> Schema.Attribute {
        let said = property.metadata as? Schema.Attribute
        let original = said.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
        let isComposite = if case .composite? = column?.form { true } else { false }
        let made = isComposite
            ? Schema.CompositeAttribute(
                name: property.name, originalName: original, options: said?.options ?? [],
                valueType: property.valueType, defaultValue: property.defaultValue, hashModifier: said?.hashModifier)
            : Schema.Attribute(
                name: property.name, originalName: original, options: said?.options ?? [],
                valueType: property.valueType, defaultValue: property.defaultValue, hashModifier: said?.hashModifier)
        return made
    }

    /// The stored properties of a structure that is stored property by property.
    static func compositeProperties(of type: Any.Type) -> [Schema.Attribute] {
        guard case .composite(let elements)? = ColumnCache.column(for: type)?.form else { return [] }
        return elements.map { element in
            if case .composite = element.column.form {
                return Schema.CompositeAttribute(name: element.name, valueType: element.column.valueType)
            }
            return Schema.Attribute(name: element.name, valueType: element.column.valueType)
        }
    }
}

extension NSManagedObjectModel {
    /// Core Data's model of a schema, with the entities of another added. Nil if both have an entity of one name, or if
    /// a container could not be made of the schema.
    public static func makeManagedObjectModel(
        for schema: Schema, mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        guard SchemaCheck(schema: schema).problems.isEmpty else { return nil }
        let made = ManagedModelMaking(schema: schema, className: "NSManagedObject").model()
        guard let managedObjectModel else { return made }
        let names = Set(made.entities.map(\.name))
        guard !managedObjectModel.entities.contains(where: { names.contains($0.name) }) else { return nil }
        return NSManagedObjectModel(byMerging: [made, managedObjectModel])
    }

    /// Core Data's model of these models and of those that they are related to.
    public static func makeManagedObjectModel(
        for entityTypes: [any PersistentModel.Type], mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        makeManagedObjectModel(for: Schema(entityTypes), mergedWith: managedObjectModel)
    }

    /// Core Data's model of these models and of those that they are related to.
    public static func makeManagedObjectModel(
        for entityTypes: any PersistentModel.Type..., mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        makeManagedObjectModel(for: Schema(entityTypes), mergedWith: managedObjectModel)
    }

    /// Core Data's model of a schema.
    public func makeManagedObjectModel(
        for schema: Schema, mergedWith managedObjectModel: NSManagedObjectModel? = nil
    ) -> NSManagedObjectModel? {
        Self.makeManagedObjectModel(for: schema, mergedWith: managedObjectModel)
    }
}
#endif
