import FirnModel
import Foundation

/// The model of a store of the corpus, from the JSON beside it that tells what is in the store's own model cache.
struct CachedModel {
    private let archived: [String: [String: Any]]
    private var entities: [String: NSEntityDescription] = [:]

    /// - Throws: whatever reading the file throws.
    static func load(_ url: URL) throws -> NSManagedObjectModel {
        let json =
            try JSONSerialization.jsonObject(with: try Data(contentsOf: url)) as? [String: Any]
        var reader = CachedModel(archived: json?["entities"] as? [String: [String: Any]] ?? [:])
        return reader.make()
    }

    private init(archived: [String: [String: Any]]) { self.archived = archived }

    private mutating func make() -> NSManagedObjectModel {
        for (name, fields) in archived {
            let entity = NSEntityDescription()
            entity.name = name
            entity.isAbstract = fields["NSIsAbstract"] as? Bool ?? false
            entity.versionHashModifier = fields["NSVersionHashModifier"] as? String
            entity.uniquenessConstraints = fields["NSUniqueTuples"] as? [[String]] ?? []
            entities[name] = entity
        }
        for (name, fields) in archived {
            let parent = (fields["NSSuperentity"] as? [String: Any])?["$entity"] as? String
            if let child = entities[name] {
                parent.flatMap { entities[$0] }?.subentities.append(child)
            }
        }
        let roots = entities.values.filter { $0.superentity == nil }
        for entity in roots.flatMap(\.selfAndDescendants) { readProperties(of: entity) }
        for (name, fields) in archived { connect(fields, of: name) }
        let model = NSManagedObjectModel()
        model.entities = Array(entities.values)
        return model
    }

    private func readProperties(of entity: NSEntityDescription) {
        let inherited = Set((entity.superentity?.properties ?? []).map(\.name))
        let properties =
            archived[entity.name ?? ""]?["properties"] as? [String: [String: Any]] ?? [:]
        entity.properties = properties.filter { !inherited.contains($0.key) }.map { name, fields in
            let property = property(fields)
            property.name = name
            property.isOptional = fields["NSIsOptional"] as? Bool ?? false
            property.isTransient = fields["NSIsTransient"] as? Bool ?? false
            property.versionHashModifier = fields["NSVersionHashModifier"] as? String
            return property
        }
    }

    private func property(_ fields: [String: Any]) -> NSPropertyDescription {
        switch fields["$class"] as? String {
        case "NSRelationshipDescription":
            let relationship = NSRelationshipDescription()
            let destination =
                (fields["NSDestinationEntity"] as? [String: Any])?["$entity"] as? String
            relationship.destinationEntity = destination.flatMap { entities[$0] }
            relationship.minCount = fields["NSMinCount"] as? Int ?? 0
            relationship.maxCount = fields["NSMaxCount"] as? Int ?? 0
            relationship.isOrdered = fields["NSIsOrdered"] as? Bool ?? false
            return relationship
        case "NSFetchedPropertyDescription": return NSFetchedPropertyDescription()
        default:
            let attribute = NSAttributeDescription()
            let number = fields["NSAttributeType"] as? Int ?? 0
            attribute.attributeType =
                NSAttributeType(rawValue: UInt(number)) ?? .undefinedAttributeType
            return attribute
        }
    }

    private func connect(_ fields: [String: Any], of name: String) {
        let properties = fields["properties"] as? [String: [String: Any]] ?? [:]
        for (propertyName, property) in properties {
            guard let inverse = property["_NSInverseRelationshipName"] as? String,
                let relationship = entities[name]?.ownRelationship(propertyName)
            else { continue }
            relationship.inverseRelationship =
                relationship.destinationEntity?.relationshipsByName[inverse]
        }
    }
}
