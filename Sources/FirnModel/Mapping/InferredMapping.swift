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
        let isSame = source.versionHash == entity.versionHash
        mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
        mapping.name = "IEM_\(isSame ? "Copy" : "Transform")_\(entity.name ?? "")"
        let stored = entity.properties.filter { !$0.isTransient }
        mapping.attributeMappings = stored.filter { $0 is NSAttributeDescription }.map { property in
            Self.property(property, matching.source(of: property, in: entity).map(Self.attribute))
        }
        mapping.relationshipMappings = stored.filter { $0 is NSRelationshipDescription }.map { property in
            Self.property(property, matching.source(of: property, in: entity).map(Self.relationship))
        }
        return mapping
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

    /// `$source.name`
    static func attribute(_ source: NSPropertyDescription) -> NSExpression { value(source.name) }

    /// The destination objects of the related source objects, whichever mapping made them.
    static func relationship(_ source: NSPropertyDescription) -> NSExpression {
        NSExpression(
            forFunction: NSExpression(forVariable: "manager"),
            selectorName: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            arguments: [NSExpression(forConstantValue: source.name), value(source.name)])
    }

    static func value(_ keyPath: String) -> NSExpression { NSExpression(forKeyPath: "$source.\(keyPath)") }
}
