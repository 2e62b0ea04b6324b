#if SwiftData
import Firn
import FirnModel
import Foundation

/// Relationships: models of the managed objects that a model's leads to, or those that a model in no context keeps.
extension ModelStorage {
    func model<Value: PersistentModel>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        guard let model = related(property(keyPath)).first as? Value else {
            fatalError(
                "\(type).\(property(keyPath).name) leads to no \(Value.self), which was perhaps deleted: "
                    + "make the property optional")
        }
        return model
    }

    func optionalModel<Value: PersistentModel>(_ keyPath: KeyPath<some Any, Value?>) -> Value? {
        related(property(keyPath)).first as? Value
    }

    func models<Value: RelationshipCollection>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        Value(relatedModels: related(property(keyPath)).compactMap { $0 as? Value.PersistentElement })
    }

    func setModel<Value: PersistentModel>(
        _ value: Value?, _ keyPath: KeyPath<some Any, Value>, owner: (any PersistentModel)? = nil
    ) {
        setRelated(value.map { [$0] } ?? [], property(keyPath), owner: owner)
    }

    func setModel<Value: PersistentModel>(
        _ value: Value?, _ keyPath: KeyPath<some Any, Value?>, owner: (any PersistentModel)? = nil
    ) {
        setRelated(value.map { [$0] } ?? [], property(keyPath), owner: owner)
    }

    func setModels<Value: RelationshipCollection>(
        _ value: Value, _ keyPath: KeyPath<some Any, Value>, owner: (any PersistentModel)? = nil
    ) {
        setRelated(value.relatedModels, property(keyPath), owner: owner)
    }

    /// The models of a relationship: at most one, or in the order of the array, or that of their identifiers.
    func related(_ property: ModelShape.Property) -> [any PersistentModel] {
        guard let object, let context else { return keptModels(property) ?? [] }
        switch object.value(forKey: property.name) {
        case let object as ModelObject where shape.mayDangle(property) && context.isMissing(object): return []
        case let object as ModelObject: return [context.model(of: object)]
        case let members as NSOrderedSet:
            return members.compactMap { ($0 as? ModelObject).map(context.model(of:)) }
        case let members as NSSet:
            return members.allObjects.compactMap { $0 as? ModelObject }
                .sorted { $0.objectID.precedes($1.objectID) }.map(context.model(of:))
        default: return []
        }
    }

    func setRelated(
        _ related: [any PersistentModel], _ property: ModelShape.Property, owner: (any PersistentModel)? = nil
    ) {
        if isBeingMade { return }
        guard let object, let context else { return setDetached(related, property, owner) }
        let objects = related.map { context.managedObject(of: $0, for: self) }
        guard case .relationship(let type) = property.kind, type.isToMany else {
            object.setValue(objects.first, forKey: property.name)
            return context.scheduleSave()
        }
        let isOrdered = object.entity.relationshipsByName[property.name]?.isOrdered == true
        object.setValue(isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects), forKey: property.name)
        context.scheduleSave()
    }

    /// A model in no context joins that of a model which it is related to; else both sides remember each other.
    private func setDetached(
        _ related: [any PersistentModel], _ property: ModelShape.Property, _ owner: (any PersistentModel)?
    ) {
        let old = keptModels(property) ?? []
        setOwnValue(.object(related), property)
        guard let owner else { return }
        if !isDeletedForGood, let context = related.lazy.compactMap({ $0.storage.context }).first {
            return context.insertAny(owner)
        }
        guard let inverse = shape.inverse(of: property) else { return }
        for model in old where !related.contains(where: { $0 === model }) {
            model.storage.unlink(owner, inverse)
        }
        for model in related where !old.contains(where: { $0 === model }) {
            model.storage.join(owner, inverse, property)
        }
    }

    private func unlink(_ model: any PersistentModel, _ property: ModelShape.Property) {
        guard object == nil, var list = keptModels(property) else { return }
        list.removeAll { $0 === model }
        setOwnValue(.object(list), property)
    }

    private func join(_ model: any PersistentModel, _ property: ModelShape.Property, _ back: ModelShape.Property) {
        guard object == nil, let type = property.relationship else { return }
        var list = keptModels(property) ?? []
        if list.contains(where: { $0 === model }) { return }
        if !type.isToMany {
            // It had another owner, which loses it.
            if let own = self.model { list.first?.storage.unlink(own, back) }
            list = []
        }
        setOwnValue(.object(list + [model]), property)
    }
}
#endif
