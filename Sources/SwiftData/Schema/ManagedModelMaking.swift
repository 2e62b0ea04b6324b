#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSExpression
import FirnModel
import Foundation

/// Makes Core Data's model of a schema: the same names, so that both can open a store.
struct ManagedModelMaking {
    let schema: Schema
    /// The class of the managed objects.
    let className: String

    func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        var entities: [String: NSEntityDescription] = [:]
        for entity in schema.entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.managedObjectClassName = className
            description.properties = entity.storedProperties.compactMap { $0 as? Schema.Attribute }.map(attribute)
            entities[entity.name] = description
            if let parent = entity.superentityName.flatMap({ entities[$0] }) { parent.subentities.append(description) }
        }
        for entity in schema.entities { addRelationships(of: entity, in: entities) }
        for entity in schema.entities { completeInverses(of: entity, in: entities) }
        for entity in schema.entities { addIndexes(of: entity, to: entities[entity.name]) }
        model.entities = schema.entities.compactMap { entities[$0.name] }
        model.versionIdentifiers = [schema.version.description]
        return model
    }

    private func attribute(_ attribute: Schema.Attribute) -> NSAttributeDescription {
        let column = attribute.isTransformable
            ? nil : ColumnCache.column(for: attribute.valueType, isEncoded: attribute.isCodable)
        let defaultValue = attribute.defaultValue.flatMap { column?.stored(any: $0) }
        let made = described(column, name: attribute.name, default: defaultValue)
        if let transformer = attribute.transformerName { made.valueTransformerName = transformer }
        made.isOptional = attribute.isOptional
        made.isTransient = attribute.isTransient
        made.renamingIdentifier = attribute.originalName == attribute.name ? nil : attribute.originalName
        made.versionHashModifier = attribute.hashModifier
        made.allowsExternalBinaryDataStorage = attribute.options.contains(.externalStorage)
        made.preservesValueInHistoryOnDeletion = attribute.options.contains(.preserveValueOnDeletion)
        return made
    }

    /// With a default in its stored form. Without a column, a transformable attribute.
    private func described(_ column: AnyColumn?, name: String, default stored: Any?) -> NSAttributeDescription {
        guard case .composite(let elements)? = column?.form else {
            let made = NSAttributeDescription()
            made.name = name
            if case .attribute(let type)? = column?.form {
                made.attributeType = type
            } else {
                made.attributeType = .transformableAttributeType
            }
            made.defaultValue = stored
            return made
        }
        let made = NSCompositeAttributeDescription()
        made.name = name
        // A part that an older row lacks reads as empty: only the whole can be mandatory.
        made.elements = elements.map { element in
            let part = described(
                element.column, name: element.name, default: (stored as? [String: Any])?[element.name])
            part.isOptional = true
            return part
        }
        return made
    }

    private func addRelationships(of entity: Schema.Entity, in entities: [String: NSEntityDescription]) {
        guard let owner = entities[entity.name] else { return }
        for relationship in entity.storedProperties.compactMap({ $0 as? Schema.Relationship }) {
            let made = NSRelationshipDescription()
            made.name = relationship.name
            made.destinationEntity = entities[relationship.destination]
            made.deleteRule = switch relationship.deleteRule {
            case .noAction: .noActionDeleteRule
            case .nullify: .nullifyDeleteRule
            case .cascade: .cascadeDeleteRule
            case .deny: .denyDeleteRule
            }
            let isToOne = relationship.isToOneRelationship
            made.minCount = relationship.minimumModelCount ?? 0
            made.maxCount = isToOne ? 1 : relationship.maximumModelCount ?? 0
            made.isOptional = isToOne ? relationship.isOptional : made.minCount == 0
            made.isOrdered = !isToOne && relationship.options.contains(.ordered)
            made.versionHashModifier = relationship.hashModifier
            made.renamingIdentifier = relationship.originalName == relationship.name ? nil : relationship.originalName
            owner.properties.append(made)
        }
    }

    /// A relationship that nothing leads back from gets a hidden inverse: else a deletion would leave it dangling.
    private func completeInverses(of entity: Schema.Entity, in entities: [String: NSEntityDescription]) {
        guard let owner = entities[entity.name] else { return }
        for relationship in entity.storedProperties.compactMap({ $0 as? Schema.Relationship }) {
            guard let made = owner.relationshipsByName[relationship.name],
                let destination = made.destinationEntity
            else { continue }
            if let inverse = relationship.inverseName {
                made.inverseRelationship = destination.relationshipsByName[inverse]
                continue
            }
            guard made.inverseRelationship == nil else { continue }
            let hidden = NSRelationshipDescription()
            hidden.name = Self.hiddenInverse(of: entity.name, relationship.name)
            hidden.destinationEntity = owner
            hidden.isOptional = true
            hidden.deleteRule = .nullifyDeleteRule
            destination.properties.append(hidden)
            made.inverseRelationship = hidden
            hidden.inverseRelationship = made
        }
    }

    static func hiddenInverse(of entity: String, _ relationship: String) -> String {
        "inverseOf_\(entity)_\(relationship)"
    }

    /// A part of a structure, which is no property of the entity.
    private func part(_ path: String) -> NSExpressionDescription {
        let part = NSExpressionDescription()
        part.name = path
        part.expression = NSExpression(forKeyPath: path)
        return part
    }

    private func addIndexes(of entity: Schema.Entity, to description: NSEntityDescription?) {
        guard let description else { return }
        description.uniquenessConstraints = entity.uniquenessConstraints
        description.indexes = entity.indices.enumerated().map { index, names in
            let kind: NSFetchIndexElementType = entity.spatialIndices.contains(index) ? .rTree : .binary
            let elements = names.map { name in
                NSFetchIndexElementDescription(
                    property: description.propertiesByName[name] ?? part(name), collationType: kind)
            }
            return NSFetchIndexDescription(name: "by_" + names.joined(separator: "_"), elements: elements)
        }
    }
}
#endif
