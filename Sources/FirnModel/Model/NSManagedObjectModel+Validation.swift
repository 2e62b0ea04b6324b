import Foundation

/// Something wrong with a model.
package struct ModelProblem: Hashable, Sendable {
    package var message: String
    /// The entity and the property concerned, as far as there is one.
    package var entityName: String?
    package var propertyName: String?
}

extension NSManagedObjectModel {
    /// All problems of this model, in the order of its entities. Empty for a good model.
    package func validate() -> [ModelProblem] {
        completeInverses()
        var problems: [ModelProblem] = []
        var seen: Set<String> = []
        for entity in entities {
            let name = entity.name ?? ""
            if name.isEmpty { problems.append(ModelProblem(message: "An entity has no name.")) }
            if !seen.insert(name).inserted {
                problems.append(
                    ModelProblem(message: "Two entities are named '\(name)'.", entityName: name))
            }
            problems += EntityCheck(entity: entity, model: self).problems()
        }
        return problems
    }

    /// Removes the inverse of each relationship whose inverse names another relationship as its own. Xcode's compiler
    /// accepts such a model with a warning. The relationship then has members of its own.
    ///
    /// - Returns: what was removed, in the order of the entities.
    package func detachInconsistentInverses() -> [ModelProblem] {
        completeInverses()
        let relationships = entities.flatMap(\.ownProperties).compactMap { $0 as? NSRelationshipDescription }
        let inconsistent = relationships.filter { relationship in
            guard let inverse = relationship.inverseRelationship, let owner = inverse.declaringEntity
            else { return false }
            return inverse.inverseRelationship !== relationship
                && relationship.destinationEntity?.isKindOf(entity: owner) == true
        }
        return inconsistent.map { relationship in
            let inverse = relationship.inverseRelationship
            let place = "\(relationship.declaringEntity?.name ?? "").\(relationship.name)"
            let (name, owner) = (inverse?.name ?? "", inverse?.declaringEntity?.name ?? "")
            let other = inverse?.inverseRelationship?.name ?? "nothing"
            relationship.inverseRelationship = nil
            return ModelProblem(
                message: "\(place): has the inverse '\(owner).\(name)', whose own inverse is '\(other)'; "
                    + "it is loaded without an inverse.",
                entityName: relationship.declaringEntity?.name, propertyName: relationship.name)
        }
    }

    /// An inverse that was set on one side only holds for both. A copy of a relationship has that of the original,
    /// which is in another model, or gone: the inverse is the one of that name here.
    private func completeInverses() {
        if isFrozen { return }
        let relationships = entities.flatMap(\.ownProperties).compactMap { $0 as? NSRelationshipDescription }
        for relationship in relationships where relationship.inverseRelationship?.declaringEntity?.model !== self {
            guard let name = relationship.namedInverse,
                let inverse = relationship.destinationEntity?.relationshipsByName[name]
            else { continue }
            relationship.inverseRelationship = inverse
        }
        for relationship in relationships {
            if let inverse = relationship.inverseRelationship, inverse.inverseRelationship == nil {
                inverse.inverseRelationship = relationship
            }
        }
    }
}

/// The checks of one entity.
private struct EntityCheck {
    let entity: NSEntityDescription
    let model: NSManagedObjectModel

    func problems() -> [ModelProblem] {
        var found: [ModelProblem] = []
        if let parent = entity.superentity, parent.model !== model {
            found.append(problem("its superentity '\(parent.name ?? "")' is not part of the model"))
        }
        var names = Set((entity.superentity?.properties ?? []).map(\.name))
        for property in entity.ownProperties {
            if !names.insert(property.name).inserted {
                found.append(problem("has more than one property of that name", property))
            }
            found += nameProblems(property)
            switch property {
            case let attribute as NSAttributeDescription: found += attributeProblems(attribute)
            case let relationship as NSRelationshipDescription:
                found += relationshipProblems(relationship)
            default: break
            }
        }
        return found + constraintProblems()
    }

    private func nameProblems(_ property: NSPropertyDescription) -> [ModelProblem] {
        if property.name.isEmpty { return [problem("has a property without a name", property)] }
        if property.name.contains(".") {
            return [problem("a property's name must not contain a dot", property)]
        }
        if PropertyName.isReserved(property.name) {
            return [problem("is a name that managed objects need for themselves", property)]
        }
        return []
    }

    private func attributeProblems(_ attribute: NSAttributeDescription) -> [ModelProblem] {
        if let composite = attribute as? NSCompositeAttributeDescription {
            return composite.elements.flatMap(attributeProblems)
        }
        if attribute.attributeType == .undefinedAttributeType && !attribute.isTransient {
            return [problem("has no type; only transient attributes may be without", attribute)]
        }
        if DefaultValue(attribute.defaultValue, type: attribute.attributeType) == nil {
            let value = attribute.defaultValue.map { "\($0)" } ?? ""
            return [
                problem("has the default value '\(value)', which is not of its type", attribute)
            ]
        }
        return []
    }

    private func relationshipProblems(_ relationship: NSRelationshipDescription) -> [ModelProblem] {
        var found: [ModelProblem] = []
        guard let destination = relationship.destinationEntity else {
            return [problem("has no destination entity", relationship)]
        }
        if destination.model !== model {
            found.append(
                problem(
                    "leads to '\(destination.name ?? "")', which is not part of the model",
                    relationship))
        }
        if relationship.maxCount > 0 && relationship.minCount > relationship.maxCount {
            found.append(
                problem(
                    "has a minimum count of \(relationship.minCount) and a maximum of \(relationship.maxCount)",
                    relationship))
        }
        if let inverse = relationship.inverseRelationship {
            found += inverseProblems(relationship, inverse)
        }
        return found
    }

    private func inverseProblems(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) -> [ModelProblem] {
        guard let owner = inverse.declaringEntity, let destination = relationship.destinationEntity,
            destination.isKindOf(entity: owner)
        else {
            return [
                problem(
                    "has the inverse '\(inverse.name)', which is no relationship of its destination",
                    relationship)
            ]
        }
        if inverse.inverseRelationship !== relationship {
            let other = inverse.inverseRelationship?.name ?? "nothing"
            return [
                problem(
                    "has the inverse '\(owner.name ?? "").\(inverse.name)', whose own inverse is '\(other)'",
                    relationship)
            ]
        }
        return []
    }

    private func constraintProblems() -> [ModelProblem] {
        let names = Set(entity.properties.map(\.name))
        return entity.uniquenessConstraintNames.flatMap { $0 }.compactMap { name in
            let first = name.split(separator: ".", maxSplits: 1).first.map(String.init) ?? name
            return names.contains(first)
                ? nil
                : problem("has a uniqueness constraint on '\(name)', which is no property of it")
        }
    }

    private func problem(_ text: String, _ property: NSPropertyDescription? = nil) -> ModelProblem {
        let entityName = entity.name ?? ""
        let place = property.map { "\(entityName).\($0.name)" } ?? entityName
        return ModelProblem(
            message: "\(place): \(text).", entityName: entityName, propertyName: property?.name)
    }
}

/// Names that a property cannot have, because managed objects have members of these names. What only Objective-C's
/// objects have (`copy`, `zone`) is allowed: there is no such runtime here.
package enum PropertyName {
    private static let reserved: Set<String> = [
        "changedValues", "debugDescription", "description", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "self",
    ]

    package static func isReserved(_ name: String) -> Bool { reserved.contains(name) }
}
