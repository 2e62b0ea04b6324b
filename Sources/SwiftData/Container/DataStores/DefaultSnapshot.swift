#if SwiftData
import Firn

/// The values of a model of any class. Unchecked for the attributes' values: a snapshot's are not changed any more.
///
/// https://developer.apple.com/documentation/swiftdata/defaultsnapshot
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
    public let persistentIdentifier: PersistentIdentifier
    let shape: ModelShape
    /// Attributes as managed objects have them; what is nil is absent.
    let attributes: [String: Any]
    /// The related models of every relationship.
    let relationships: [String: [PersistentIdentifier]]

    init(
        _ persistentIdentifier: PersistentIdentifier, _ shape: ModelShape, attributes: [String: Any],
        relationships: [String: [PersistentIdentifier]]
    ) {
        self.persistentIdentifier = persistentIdentifier
        self.shape = shape
        self.attributes = attributes
        self.relationships = relationships
    }

    /// The values of a model. Adds the models that it is related to.
    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        guard let storage = backingData.modelStorage as? ModelStorage else {
            fatalError("A DefaultSnapshot is made of a model's persistentBackingData, not of \(type(of: backingData))")
        }
        var attributes: [String: Any] = [:]
        var relationships: [String: [PersistentIdentifier]] = [:]
        for property in storage.shape.savedProperties {
            guard property.relationship != nil else {
                attributes[property.name] = storage.storedValue(property)
                continue
            }
            relationships[property.name] = storage.related(property).map { model in
                let identifier = model.persistentModelID
                if relatedBackingDatas[identifier] == nil {
                    relatedBackingDatas[identifier] = model.anyBackingData
                }
                return identifier
            }
        }
        self.init(storage.identifier, storage.shape, attributes: attributes, relationships: relationships)
    }

    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
    ) -> DefaultSnapshot {
        let remapped = remappedIdentifiers ?? [:]
        return DefaultSnapshot(
            persistentIdentifier, shape, attributes: attributes,
            relationships: relationships.mapValues { $0.map { remapped[$0] ?? $0 } })
    }
}

extension ModelShape {
    /// The properties that stores have: all but ephemeral ones.
    var savedProperties: [Property] { properties.filter { ($0.metadata as? Schema.Attribute)?.isTransient != true } }
}

extension ModelStorage {
    /// An attribute as a managed object has it, whichever of the forms of a number that is.
    fileprivate func storedValue(_ property: ModelShape.Property) -> Any? {
        guard case .attribute(let column) = property.kind else { return nil }
        guard let object else {
            if let kept = kept(property) { return column.map { $0.stored(kept: kept) } ?? kept.object }
            return property.defaultValue.flatMap { value in column.map { $0.stored(any: value) } ?? value }
        }
        guard let stored = object.value(forKey: property.name), let column else {
            return object.value(forKey: property.name)
        }
        return column.anyValue(stored).flatMap { column.stored(any: $0) }
    }
}

extension DefaultSnapshot {
    /// Whether both have the same values.
    func hasValues(of other: DefaultSnapshot) -> Bool {
        relationships == other.relationships && Self.areEqual(attributes, other.attributes)
    }

    private static func areEqual(_ left: [String: Any], _ right: [String: Any]) -> Bool {
        left.count == right.count && left.allSatisfy { areEqual($1, right[$0]) }
    }

    private static func areEqual(_ left: Any, _ right: Any?) -> Bool {
        if let left = left as? [String: Any] { return (right as? [String: Any]).map { areEqual(left, $0) } ?? false }
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return false }
        return left == right
    }
}
#endif
