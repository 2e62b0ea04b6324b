import class FirnFoundation.NSExpression
import Foundation

/// Makes entity mappings of a matching: a matched property keeps its value.
struct InferredMapping {
    private let matching: ModelMatching

    init(_ matching: ModelMatching) { self.matching = matching }

    var entityMappings: [NSEntityMapping] {
        matching.destination.entities.map(mapping)
            + matching.source.entities.filter { matching.destination(of: $0) == nil }.map(removal)
    }

    private func mapping(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.versionHash
        guard let source = matching.source(of: entity) else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_\(entity.name ?? "")"
            return mapping
        }
        mapping.sourceEntityName = source.name
        mapping.sourceEntityVersionHash = source.versionHash
        mapping.sourceExpression = MappingExpression.sources(source.name ?? "")
        let isSame = source.versionHash == entity.versionHash
        mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = "IEM_\(isSame ? "Copy" : "Transform")_\(entity.name ?? "")"
        let stored = entity.properties.filter { !$0.isTransient }
        mapping.attributeMappings = stored.filter { $0 is NSAttributeDescription }.map { property in
            Self.property(property, self.source(of: property, in: entity).map { MappingExpression.value($0.name) })
        }
        mapping.relationshipMappings = stored.filter { $0 is NSRelationshipDescription }.map { property in
            Self.property(property, self.source(of: property, in: entity).map { MappingExpression.related($0.name) })
        }
        return mapping
    }

    /// The stored property whose values it gets: what was transient has none.
    private func source(of property: NSPropertyDescription, in entity: NSEntityDescription) -> NSPropertyDescription? {
        matching.source(of: property, in: entity).flatMap { $0.isTransient ? nil : $0 }
    }

    private func removal(_ entity: NSEntityDescription) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.mappingType = .removeEntityMappingType
        mapping.name = "IEM_Remove_\(entity.name ?? "")"
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.versionHash
        return mapping
    }

    private static func property(_ property: NSPropertyDescription, _ value: NSExpression?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = property.name
        mapping.valueExpression = value
        return mapping
    }
}
