import Foundation

/// Whether a lightweight migration leads from one model to another, and if not, why.
///
/// Properties and entities may be added, removed, renamed, and moved within, into and out of hierarchies. Accepted
/// changes of a property are optional ↔ mandatory with a default, to-one → to-many, ordered ↔ unordered, and other
/// numeric types.
/// https://developer.apple.com/documentation/coredata/using_lightweight_migration
package struct MappingInference {
    package let matching: ModelMatching
    /// All problems, by place.
    package private(set) var problems: [InferenceProblem] = []

    package init(_ matching: ModelMatching) {
        self.matching = matching
        checkEntityIdentifiers()
        for entity in matching.destination.entities {
            checkHierarchy(entity)
            guard let old = matching.source(of: entity) else { continue }
            for property in entity.properties { check(property, in: entity, old) }
            checkIdentifiers(of: entity, old)
        }
        var seen: Set<InferenceProblem> = []
        problems = problems.filter { seen.insert($0).inserted }
    }

    /// The entity that a problem with an inherited property names: the declaring one, unless it is new.
    private func blame(
        _ property: NSPropertyDescription, _ entity: NSEntityDescription
    ) -> NSEntityDescription {
        guard let declaring = property.declaringEntity, matching.source(of: declaring) != nil else {
            return entity
        }
        return declaring
    }

    private mutating func check(
        _ property: NSPropertyDescription, in entity: NSEntityDescription, _ old: NSEntityDescription
    ) {
        let source = matching.source(of: property, in: entity)
        let place = blame(property, entity)
        switch (property, source) {
        case (is NSFetchedPropertyDescription, _): break
        case (let attribute as NSAttributeDescription, let source as NSAttributeDescription):
            check(attribute, source, place, property)
        case (let attribute as NSAttributeDescription, nil):
            if !entity.isAbstract { checkDefault(attribute, place, property) }
        case (let relationship as NSRelationshipDescription, let source as NSRelationshipDescription):
            check(relationship, source, place)
        default: break
        }
        if source == nil, isRenamedFromOtherKind(property, old) {
            problems.append(InferenceProblem(place, property, .propertyKind))
        }
    }

    /// A property of the same name and another kind counts as removed and added. A renaming identifier, however,
    /// demands that values are kept.
    private func isRenamedFromOtherKind(_ property: NSPropertyDescription, _ old: NSEntityDescription) -> Bool {
        guard let identifier = property.explicitRenamingIdentifier, identifier != property.name,
            let named = old.propertiesByName[identifier]
        else { return false }
        return property is NSAttributeDescription != (named is NSAttributeDescription)
    }

    /// Several properties that claim to be one of the old model: nobody can choose.
    private mutating func checkIdentifiers(of entity: NSEntityDescription, _ old: NSEntityDescription) {
        let known = Set(old.properties.flatMap { [$0.name, $0.explicitRenamingIdentifier ?? $0.name] })
        let renamed = entity.properties.filter { $0.explicitRenamingIdentifier.map { known.contains($0) } ?? false }
            .filter { $0.explicitRenamingIdentifier != $0.name }
        for (identifier, claims) in Dictionary(grouping: renamed, by: { $0.explicitRenamingIdentifier ?? "" })
            .sorted(by: { $0.key < $1.key }) where claims.count > 1
        {
            for property in claims {
                let others = claims.filter { $0 !== property }.map(\.name)
                problems.append(
                    InferenceProblem(blame(property, entity), property, .sharedIdentifier(identifier, others)))
            }
        }
    }

    private mutating func checkEntityIdentifiers() {
        let known = Set(matching.source.entities.flatMap { [$0.name ?? "", $0.explicitRenamingIdentifier ?? ""] })
        let renamed = matching.destination.entities.filter { entity in
            guard let identifier = entity.explicitRenamingIdentifier else { return false }
            return identifier != entity.name && known.contains(identifier)
        }
        for (identifier, claims) in Dictionary(grouping: renamed, by: { $0.explicitRenamingIdentifier ?? "" })
            .sorted(by: { $0.key < $1.key }) where claims.count > 1
        {
            for entity in claims {
                let others = claims.filter { $0 !== entity }.map { $0.name ?? "" }
                problems.append(InferenceProblem(entity, nil, .sharedIdentifier(identifier, others)))
            }
        }
    }

    private mutating func check(
        _ attribute: NSAttributeDescription, _ source: NSAttributeDescription,
        _ place: NSEntityDescription, _ property: NSPropertyDescription
    ) {
        if attribute.isTransient || attribute.attributeType == .undefinedAttributeType { return }
        if source.isTransient || source.attributeType == .undefinedAttributeType {
            checkDefault(attribute, place, property)
            return
        }
        guard source.attributeType.canBecome(attribute.attributeType) else {
            problems.append(
                InferenceProblem(
                    place, property,
                    .attributeType(
                        from: source.attributeType.fileName, to: attribute.attributeType.fileName)))
            return
        }
        if let composite = attribute as? NSCompositeAttributeDescription,
            let old = source as? NSCompositeAttributeDescription
        {
            let elements = ModelMatching.match(composite.elements, from: old.elements)
            for element in composite.elements {
                if let source = elements[element.name] as? NSAttributeDescription {
                    check(element, source, place, property)
                } else {
                    checkDefault(element, place, property)
                }
            }
        } else if source.isOptional {
            checkDefault(attribute, place, property)
        }
    }

    private mutating func checkDefault(
        _ attribute: NSAttributeDescription, _ place: NSEntityDescription, _ property: NSPropertyDescription
    ) {
        if attribute.isOptional || attribute.isTransient || attribute is NSDerivedAttributeDescription { return }
        if let composite = attribute as? NSCompositeAttributeDescription {
            for element in composite.elements { checkDefault(element, place, property) }
        } else if attribute.defaultValue == nil || attribute.defaultValue is NSNull {
            problems.append(InferenceProblem(place, property, .missingDefault))
        }
    }

    private mutating func check(
        _ relationship: NSRelationshipDescription, _ source: NSRelationshipDescription,
        _ place: NSEntityDescription
    ) {
        if relationship.isTransient || source.isTransient { return }
        if source.isToMany, !relationship.isToMany {
            problems.append(InferenceProblem(place, relationship, .toManyToToOne))
        }
        guard let now = relationship.destinationEntity, let then = source.destinationEntity else { return }
        // Objects of subentities that move elsewhere may be related: the migration checks the rows.
        guard let new = matching.destination(of: then), !new.isKindOf(entity: now) else { return }
        problems.append(InferenceProblem(place, relationship, .relationshipDestination(new.name ?? "")))
    }

    /// Entities that shared no parent before cannot share one now, be it new or old.
    private mutating func checkHierarchy(_ entity: NSEntityDescription) {
        let below = entity.selfAndDescendants.dropFirst()
        let roots = Set(below.compactMap { matching.source(of: $0).map { $0.rootEntity.name ?? "" } })
        if roots.count > 1 {
            problems.append(InferenceProblem(entity, nil, .mergedHierarchies(roots.sortedByUTF8 { $0 })))
        }
    }
}

extension NSAttributeType {
    private static let integers: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    ]

    /// Whether a lightweight migration converts values of this type to the other type. Accepted are the same type,
    /// another integer width, Boolean to integer, integer to float or double, and float to double.
    package func canBecome(_ other: NSAttributeType) -> Bool {
        if self == other { return true }
        switch self {
        case .booleanAttributeType: return Self.integers.contains(other)
        case .floatAttributeType: return other == .doubleAttributeType
        default:
            let targets = Self.integers + [.floatAttributeType, .doubleAttributeType]
            return Self.integers.contains(self) && targets.contains(other)
        }
    }
}
