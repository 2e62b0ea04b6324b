import Foundation

import func FirnFoundation.misuse

extension EntityLayout {
    /// Lays out all entities of a model without problems: see `validate()`.
    static func layOut(_ model: NSManagedObjectModel) {
        var builder = LayoutBuilder()
        for root in model.entities.filter({ $0.superentity == nil }).sortedByUTF8({ $0.name ?? "" })
        {
            builder.outline(root, above: nil)
        }
        for outline in builder.outlines {
            let layout = builder.layout(outline)
            let names = outline.entity.properties.map { ($0.name, $0) }
            outline.entity.frozen = FrozenEntity(
                layout: layout, properties: Dictionary(names) { first, _ in first })
        }
    }
}

/// Works in two passes. The first numbers every slot of every entity. The second makes the slots, which refer to each
/// other by number.
private struct LayoutBuilder {
    /// A slot that has its number but not yet its kind.
    struct Place {
        let name: String
        let property: NSPropertyDescription
        let role: Role
    }

    enum Role {
        case property
        /// The composite's leaves, as slot numbers.
        case composite(Range<Int>)
        case leaf
        case position(toOne: Int)
    }

    struct Outline {
        let entity: NSEntityDescription
        let root: NSEntityDescription
        let descendants: Range<Int>
        let places: [Place]
        let constraints: [EntityLayout.UniquenessConstraint]
    }

    /// By `modelIndex`: superentities before their subentities.
    private(set) var outlines: [Outline] = []
    private var slotsByProperty: [ObjectIdentifier: Int] = [:]
    private var positionsByToOne: [ObjectIdentifier: Int] = [:]

    mutating func outline(_ entity: NSEntityDescription, above: Outline?) {
        let index = outlines.count
        let places = (above?.places ?? []) + ownPlaces(entity, after: above?.places.count ?? 0)
        // A constraint of no properties holds always.
        let constraints = entity.uniquenessConstraintNames.filter { !$0.isEmpty }.map { names in
            EntityLayout.UniquenessConstraint(
                constrainedEntity: entity,
                slots: names.compactMap { name in places.firstIndex { $0.name == name } })
        }
        func outline(to end: Int) -> Outline {
            Outline(
                entity: entity, root: above?.root ?? entity, descendants: index..<end,
                places: places,
                constraints: (above?.constraints ?? []) + constraints)
        }
        outlines.append(outline(to: index + 1))
        for subentity in entity.subentities.sortedByUTF8({ $0.name ?? "" }) {
            self.outline(subentity, above: outlines[index])
        }
        outlines[index] = outline(to: outlines.count)
    }

    private mutating func ownPlaces(_ entity: NSEntityDescription, after start: Int) -> [Place] {
        let properties = entity.ownProperties.sortedByUTF8(\.name)
        var leaves: [Place] = []
        var places: [Place] = []
        for (offset, property) in properties.enumerated() {
            slotsByProperty[ObjectIdentifier(property)] = start + offset
            if let composite = property as? NSCompositeAttributeDescription {
                let first = start + properties.count + leaves.count
                leaves += Self.leaves(of: composite, prefix: composite.name).sortedByUTF8(\.name)
                let end = start + properties.count + leaves.count
                places.append(
                    Place(name: property.name, property: property, role: .composite(first..<end)))
            } else {
                places.append(Place(name: property.name, property: property, role: .property))
            }
        }
        places += leaves
        for (offset, property) in properties.enumerated() {
            guard let toOne = property as? NSRelationshipDescription, !toOne.isToMany,
                let inverse = toOne.inverseRelationship, inverse.isToMany, inverse.isOrdered
            else { continue }
            positionsByToOne[ObjectIdentifier(toOne)] = start + places.count
            places.append(
                Place(
                    name: "Z_ORD_" + toOne.name, property: toOne,
                    role: .position(toOne: start + offset)))
        }
        return places
    }

    private static func leaves(of composite: NSCompositeAttributeDescription, prefix: String)
        -> [Place]
    {
        composite.elements.flatMap { element in
            let name = prefix + "." + element.name
            if let inner = element as? NSCompositeAttributeDescription {
                return leaves(of: inner, prefix: name)
            }
            return [Place(name: name, property: element, role: .leaf)]
        }
    }

    func layout(_ outline: Outline) -> EntityLayout {
        EntityLayout(
            entity: outline.entity, rootEntity: outline.root, descendantRange: outline.descendants,
            slots: outline.places.enumerated().map { slot($1, index: $0, in: outline.places) },
            uniquenessConstraints: outline.constraints)
    }

    private func slot(_ place: Place, index: Int, in places: [Place]) -> Slot {
        let kind = kind(place)
        let composite = places.first {
            if case .composite(let leaves) = $0.role { leaves.contains(index) } else { false }
        }
        let isTransient = place.property.isTransient || composite?.property.isTransient ?? false
        let unit = if case .composite(let leaves)? = composite?.role { leaves } else { index..<index + 1 }
        let hasColumn =
            switch kind {
            case .attribute(let type): type != .undefinedAttributeType
            case .toOne, .position: true
            case .toMany, .composite, .fetched: false
            }
        return Slot(
            name: place.name, index: index, unit: unit, kind: kind, isOptional: place.property.isOptional,
            isTransient: isTransient, isStored: hasColumn && !isTransient,
            isDerived: place.property is NSDerivedAttributeDescription,
            defaultValue: defaultValue(place, kind), property: place.property)
    }

    private func kind(_ place: Place) -> Slot.Content {
        switch place.role {
        case .composite(let leaves): return .composite(leaves: leaves)
        case .position(let toOne): return .position(toOne: toOne)
        case .leaf, .property: break
        }
        switch place.property {
        case let attribute as NSAttributeDescription: return .attribute(attribute.attributeType)
        case let relationship as NSRelationshipDescription: return kind(relationship)
        default: return .fetched
        }
    }

    private func kind(_ relationship: NSRelationshipDescription) -> Slot.Content {
        guard let destination = relationship.destinationEntity else {
            misuse("'\(relationship.name)' has no destination.")
        }
        let inverse = relationship.inverseRelationship
        let inverseSlot = inverse.flatMap { slotsByProperty[ObjectIdentifier($0)] }
        let inverseIsToMany = inverse?.isToMany ?? false
        if relationship.isToMany {
            return .toMany(
                Slot.ToMany(
                    destination: destination, inverseSlot: inverseSlot,
                    inverseIsToMany: inverseIsToMany, inverseIsTransient: inverse?.isTransient ?? false,
                    isOrdered: relationship.isOrdered,
                    destinationHasSubentities: !destination.subentities.isEmpty,
                    isCanonical: isCanonical(relationship, inverse)))
        }
        return .toOne(
            Slot.ToOne(
                destination: destination, inverseSlot: inverseSlot,
                inverseIsToMany: inverseIsToMany,
                destinationHasSubentities: !destination.subentities.isEmpty,
                positionSlot: positionsByToOne[ObjectIdentifier(relationship)]))
    }

    private func isCanonical(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription?
    ) -> Bool {
        guard let inverse, !inverse.isTransient else { return true }
        guard inverse.isToMany, !relationship.isTransient else { return false }
        let (mine, other) = (relationship.entity.name ?? "", inverse.entity.name ?? "")
        if mine != other { return mine.precedesInUTF8(other) }
        return !inverse.name.precedesInUTF8(relationship.name)
    }

    private func defaultValue(_ place: Place, _ kind: Slot.Content) -> DefaultValue {
        guard case .attribute(let type) = kind,
            let attribute = place.property as? NSAttributeDescription
        else { return .none }
        return DefaultValue(attribute.defaultValue, type: type) ?? .none
    }
}
