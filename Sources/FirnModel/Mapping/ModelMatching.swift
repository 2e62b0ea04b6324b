/// The entities and properties of an older model that continue in a newer one.
///
/// A pair of entities is matched over all their properties, inherited ones too: a property may move up and down the
/// hierarchy. Fetched properties are ignored.
package struct ModelMatching {
    package let source: NSManagedObjectModel
    package let destination: NSManagedObjectModel
    private let entities: [ObjectIdentifier: NSEntityDescription]
    private let destinations: [ObjectIdentifier: NSEntityDescription]
    /// By destination entity and the name of its property.
    private var properties: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]

    /// Matches by names and renaming identifiers.
    package init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
        let (old, new) = (source.entities, destination.entities)
        let matching = NameMatching(
            new.map { .init($0.name ?? "", identifier: $0.explicitRenamingIdentifier) },
            from: old.map { .init($0.name ?? "", identifier: $0.explicitRenamingIdentifier) })
        let pairs = zip(new, matching.sources).compactMap { entity, index in index.map { (entity, old[$0]) } }
        self.init(from: source, to: destination, pairs: pairs)
    }

    /// Matches the properties of given pairs of entities, destination first.
    package init(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        pairs: [(NSEntityDescription, NSEntityDescription)]
    ) {
        self.source = source
        self.destination = destination
        entities = Dictionary(pairs.map { (ObjectIdentifier($0), $1) }) { first, _ in first }
        destinations = Dictionary(pairs.map { (ObjectIdentifier($1), $0) }) { first, _ in first }
        for (entity, old) in pairs {
            properties[ObjectIdentifier(entity)] = Self.match(entity.properties, from: old.properties)
        }
    }

    /// The entity that the objects of `entity` were of; nil for a new one.
    package func source(of entity: NSEntityDescription) -> NSEntityDescription? {
        entities[ObjectIdentifier(entity)]
    }

    /// The entity that objects of an old one are of now; nil for one that was removed.
    package func destination(of entity: NSEntityDescription) -> NSEntityDescription? {
        destinations[ObjectIdentifier(entity)]
    }

    /// The property whose value a property of a destination entity, declared or inherited, has from now on.
    package func source(
        of property: NSPropertyDescription, in entity: NSEntityDescription
    ) -> NSPropertyDescription? {
        properties[ObjectIdentifier(entity)]?[property.name]
    }

    /// For each new property the old one of the same kind, by the new name. A relationship that became an attribute
    /// of the same name was removed, and the attribute added.
    static func match(
        _ new: [NSPropertyDescription], from old: [NSPropertyDescription]
    ) -> [String: NSPropertyDescription] {
        func isAttribute(_ property: NSPropertyDescription) -> Bool { property is NSAttributeDescription }
        func isRelationship(_ property: NSPropertyDescription) -> Bool { property is NSRelationshipDescription }
        let attributes = pairs(new.filter(isAttribute), from: old.filter(isAttribute))
        let relationships = pairs(new.filter(isRelationship), from: old.filter(isRelationship))
        return attributes.merging(relationships) { first, _ in first }
    }

    private static func pairs(
        _ new: [NSPropertyDescription], from old: [NSPropertyDescription]
    ) -> [String: NSPropertyDescription] {
        let matching = NameMatching(
            new.map { .init($0.name, identifier: $0.explicitRenamingIdentifier) },
            from: old.map { .init($0.name, identifier: $0.explicitRenamingIdentifier) })
        let pairs = zip(new, matching.sources).compactMap { property, index in
            index.map { (property.name, old[$0]) }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

extension ModelMatching {
    /// The leaves of a composite that continue: the path of each below the composite, new to old.
    package func leaves(
        of composite: NSCompositeAttributeDescription, from old: NSCompositeAttributeDescription
    ) -> [String: String] {
        let sources = Self.match(composite.elements, from: old.elements)
        var leaves: [String: String] = [:]
        for element in composite.elements {
            guard let source = sources[element.name] else { continue }
            if let inner = element as? NSCompositeAttributeDescription,
                let before = source as? NSCompositeAttributeDescription
            {
                for (new, old) in self.leaves(of: inner, from: before) {
                    leaves[element.name + "." + new] = source.name + "." + old
                }
            } else {
                leaves[element.name] = source.name
            }
        }
        return leaves
    }
}
