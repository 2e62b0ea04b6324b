import func FirnFoundation.misuse

extension NSEntityDescription {
    /// The direct subentities by name.
    public var subentitiesByName: [String: NSEntityDescription] {
        byName(subentities.map { ($0.name ?? "", $0) })
    }

    /// All properties by name, inherited ones included. O(1) once the model is in use.
    public var propertiesByName: [String: NSPropertyDescription] {
        frozen?.propertiesByName ?? byName(properties.map { ($0.name, $0) })
    }

    /// All attributes by name, inherited ones included. O(1) once the model is in use.
    public var attributesByName: [String: NSAttributeDescription] {
        frozen?.attributesByName
            ?? propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }

    /// All relationships by name, inherited ones included. O(1) once the model is in use.
    public var relationshipsByName: [String: NSRelationshipDescription] {
        frozen?.relationshipsByName
            ?? propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }

    /// Whether this is `entity` or inherits from it. Entities of two models are the same if their names are.
    public func isKindOf(entity: NSEntityDescription) -> Bool {
        var current: NSEntityDescription? = self
        while let candidate = current {
            if candidate === entity { return true }
            if let name = candidate.name, name == entity.name, candidate.model !== entity.model {
                return true
            }
            current = candidate.parent
        }
        return false
    }

    /// The relationships, inherited ones included, whose destination is `entity`.
    public func relationships(forDestination entity: NSEntityDescription)
        -> [NSRelationshipDescription]
    {
        properties.compactMap { property in
            guard let relationship = property as? NSRelationshipDescription,
                relationship.destinationEntity === entity
            else { return nil }
            return relationship
        }
    }

    /// How this entity's values are laid out in slots. Asking for it freezes the model. An object can be made of a
    /// model that no coordinator uses yet, and of an entity that is in no model: such an entity gets one of its own,
    /// for the time of this call.
    package var layout: EntityLayout {
        if let frozen { return frozen.layout }
        if let model { model.freeze() } else { freezeAlone() }
        guard let frozen else {
            misuse(
                "'\(name ?? "")' is in no model, or its model was released: add it to a model, and keep that, before "
                    + "objects are made of it.")
        }
        return frozen.layout
    }

    private func freezeAlone() {
        let model = NSManagedObjectModel()
        model.entities = [self]
        model.freeze()
    }

    /// The entity at the top of the hierarchy.
    package var rootEntity: NSEntityDescription {
        var root = self
        while let parent = root.parent { root = parent }
        return root
    }

    /// This entity and all that inherit from it, directly or not.
    package var selfAndDescendants: [NSEntityDescription] { Self.withDescendants([self]) }

    /// The entities, each followed by those that inherit from it; none twice. O(entities in the answer).
    static func withDescendants(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        var found: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = Array(entities.reversed())
        while let entity = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(entity)).inserted else { continue }
            found.append(entity)
            waiting += entity.subentities.reversed()
        }
        return found
    }

    /// `uniquenessConstraints` by the attributes' names.
    package var uniquenessConstraintNames: [[String]] { uniquenessConstraints.map(propertyNames) }

    /// `compoundIndexes` by the properties' names.
    package var compoundIndexNames: [[String]] { compoundIndexes.map(propertyNames) }

    private func propertyNames(_ group: [Any]) -> [String] {
        group.map { element in
            switch element {
            case let property as NSPropertyDescription: property.name
            case let name as String: name
            default:
                misuse(
                    "'\(name ?? "")': \(element) names no property; use a name or a property description."
                )
            }
        }
    }

    private func byName<T>(_ pairs: [(String, T)]) -> [String: T] {
        Dictionary(pairs) { _, last in last }
    }
}

/// Collects which entities are below which, before any `subentities` is set.
///
/// Setting `subentities` once for each parent takes O(subentities); adding them one by one would look at all of them
/// each time.
struct EntityHierarchy {
    private var parents: [ObjectIdentifier: NSEntityDescription] = [:]
    /// Toward the root of an entity's tree; shortened whenever it is followed.
    private var above: [ObjectIdentifier: ObjectIdentifier] = [:]
    private var order: [NSEntityDescription] = []
    private var children: [ObjectIdentifier: [NSEntityDescription]] = [:]

    /// False, and without effect, if the parent is below the child or has a parent already.
    mutating func add(_ child: NSEntityDescription, below parent: NSEntityDescription) -> Bool {
        let (low, high) = (ObjectIdentifier(child), ObjectIdentifier(parent))
        guard parents[low] == nil, root(of: high) != low else { return false }
        parents[low] = parent
        above[low] = high
        if children[high] == nil { order.append(parent) }
        children[high, default: []].append(child)
        return true
    }

    /// Sets the collected subentities.
    func connect() {
        for parent in order { parent.subentities += children[ObjectIdentifier(parent)] ?? [] }
    }

    /// A child that was not added yet is the root of its own tree.
    private mutating func root(of entity: ObjectIdentifier) -> ObjectIdentifier {
        var root = entity
        while let next = above[root] { root = next }
        var current = entity
        while let next = above[current], next != root {
            above[current] = root
            current = next
        }
        return root
    }
}

extension NSEntityDescription {
    /// Whether the last key of a path through relationships is that of a to-many one.
    package func isToMany(_ keys: [String]) -> Bool {
        var relationship: NSRelationshipDescription?
        for key in keys {
            let entity = relationship == nil ? self : relationship?.destinationEntity
            relationship = entity?.relationshipsByName[key]
            if relationship == nil { return false }
        }
        return relationship?.isToMany ?? false
    }
}
