#if SwiftData
import Firn
import FirnModel
import Foundation
import FirnRuntime

/// Relationships: models of the managed objects that a model's leads to, or those that a model in no context has.
extension ModelStorage {
    func model<Value: PersistentModel>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        recordRead(property)
        guard let model = related(property).first as? Value else {
            fatalError(
                "\(type).\(property.name) leads to no \(Value.self), which was perhaps deleted: "
                    + "make the property optional")
        }
        return model
    }

    func optionalModel<Value: PersistentModel>(_ keyPath: KeyPath<some Any, Value?>) -> Value? {
        let property = property(keyPath)
        recordRead(property)
        return related(property).first as? Value
    }

    func models<Value: RelationshipCollection>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        recordRead(property)
        if let list = relatedList(property, as: Value.PersistentElement.self) {
            return Value(relatedModels: list.models)
        }
        guard let object, let context else {
            // A cast from a class's own reference is short.
            let models = detachedModels(property)
            return Value(relatedModels: models.compactMap { ($0.model as AnyObject) as? Value.PersistentElement })
        }
        return Value(relatedModels: context.models(of: members(of: object, property)))
    }

    func setModel<Value: PersistentModel>(
        _ value: Value?, _ keyPath: KeyPath<some Any, Value>, owner: (any PersistentModel)? = nil
    ) {
        setModels(value.map { [$0] } ?? [], property(keyPath), owner)
    }

    func setModel<Value: PersistentModel>(
        _ value: Value?, _ keyPath: KeyPath<some Any, Value?>, owner: (any PersistentModel)? = nil
    ) {
        setModels(value.map { [$0] } ?? [], property(keyPath), owner)
    }

    func setModels<Value: RelationshipCollection>(
        _ value: Value, _ keyPath: KeyPath<some Any, Value>, owner: (any PersistentModel)? = nil
    ) {
        setModels(value.relatedModels, property(keyPath), owner)
    }

    /// The models of a relationship: at most one, or in the order of the array, or that of their identifiers.
    func related(_ property: ModelShape.Property) -> [any PersistentModel] {
        guard let object, let context else { return detachedModels(property).map { $0.model } }
        if property.relationship?.isToMany == true {
            return members(of: object, property).map { context.model(of: $0) }
        }
        guard let other = object.destination(at: property.place) as? ModelObject,
            !(shape.mayDangle(property) && context.isMissing(other))
        else { return [] }
        return [context.model(of: other)]
    }

    /// The objects that a relationship leads to.
    func others(of object: ModelObject, _ property: ModelShape.Property) -> [ModelObject] {
        if property.relationship?.isToMany == true { return members(of: object, property) }
        return (object.destination(at: property.place) as? ModelObject).map { [$0] } ?? []
    }

    private func members(of object: ModelObject, _ property: ModelShape.Property) -> [ModelObject] {
        object.mapMembers(at: property.place) { member in
            guard let member = member as? ModelObject else { fatalError("\(member) is no model's") }
            return member
        }
    }

    private func setModels<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, _ owner: (any PersistentModel)?
    ) {
        if isBeingMade { return }
        guard let object, let context else { return setDetached(models, property, owner) }
        if property.relationship?.isToMany == true { return setMembers(models, property, of: object, in: context) }
        setRelated(models.map { $0.storage }, property)
    }

    /// Of a model in a context.
    func setRelated(_ related: [ModelStorage], _ property: ModelShape.Property) {
        guard let object, let context else { return }
        let objects = related.map { context.managedObject(of: $0, for: self) }
        notifyingInverses(property, { others(of: object, property) }, objects) {
            if property.relationship?.isToMany == true {
                object.setMembers(objects, at: property.place)
            } else {
                object.setDestination(objects.first, at: property.place)
            }
        }
        context.scheduleSave()
    }

    /// A model in no context joins that of a model which it is related to; else both sides remember each other.
    private func setDetached<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, _ owner: (any PersistentModel)?
    ) {
        let list = relatedList(property, as: Model.self)
        let listChange = ListChange(from: list?.models ?? [], to: models)
        let change = changeDetachedModels(property) { DetachedChange(of: &$0, list, listChange, to: models) }
        if let owner {
            if !isDeletedForGood, let context = change.added.lazy.compactMap({ $0.model.storage.context }).first {
                return context.insertAny(owner)
            }
            if let inverse = shape.inverse(of: property) {
                for removed in change.removed { removed.model.storage.unlink(owner, inverse) }
                for added in change.added { added.model.storage.join(owner, inverse, property) }
            }
        }
        keep(change.count == models.count ? models : [], property, list, listChange, nil)
    }

    private func unlink(_ model: any PersistentModel, _ property: ModelShape.Property) {
        guard object == nil else { return }
        _ = changeDetachedModels(property) { $0.remove(ModelReference(model)) }
        notifyReaders(of: property, self.model)
    }

    private func join(_ model: any PersistentModel, _ property: ModelShape.Property, _ back: ModelShape.Property) {
        guard object == nil, let type = property.relationship else { return }
        let reference = ModelReference(model)
        defer { notifyReaders(of: property, self.model) }
        if type.isToMany { return changeDetachedModels(property) { $0.append(reference) } }
        let old = detachedModels(property)
        if old.contains(reference) { return }
        // It had another owner, which loses it.
        if let own = self.model { old.first?.model.storage.unlink(own, back) }
        changeDetachedModels(property) { $0 = [reference] }
    }
}

/// The difference between related models and those that replace them.
private struct DetachedChange {
    var removed: [ModelReference] = []
    var added: [ModelReference] = []
    /// How many there are then.
    let count: Int

    init<Model: PersistentModel>(
        of old: inout MemberList<ModelReference>, _ list: RelatedList<Model>?, _ change: ListChange, to models: [Model]
    ) {
        if let list, change.isPlain {
            removed = list.models[change.removed].map { ModelReference($0) }
            for reference in removed { old.remove(reference) }
            for model in models[change.added] where old.append(ModelReference(model)) {
                added.append(ModelReference(model))
            }
        } else {
            let wanted = MemberList(models.map { ModelReference($0) })
            removed = old.filter { !wanted.contains($0) }
            added = wanted.filter { !old.contains($0) }
            old = wanted
        }
        count = old.count
    }
}
#endif
