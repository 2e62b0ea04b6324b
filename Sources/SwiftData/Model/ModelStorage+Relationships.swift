#if SwiftData
import Firn
import FirnModel
import Foundation
import FirnRuntime

/// Relationships: models of the managed objects that a model's leads to, or those that a model in no context has.
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
        let property = property(keyPath)
        guard let object, let context else {
            // A cast from a class's own reference is short.
            let models = detachedModels(property)
            return Value(relatedModels: models.compactMap { ($0.model as AnyObject) as? Value.PersistentElement })
        }
        if let models = appendedModels(property, of: object, as: Value.PersistentElement.self) {
            return Value(relatedModels: models)
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
        if property.relationship?.isToMany == true {
            object.setMembers(objects, at: property.place)
        } else {
            object.setDestination(objects.first, at: property.place)
        }
        context.scheduleSave()
    }

    /// A model in no context joins that of a model which it is related to; else both sides remember each other.
    private func setDetached<Model: PersistentModel>(
        _ models: [Model], _ property: ModelShape.Property, _ owner: (any PersistentModel)?
    ) {
        let change = changeDetachedModels(property) { DetachedChange(replacing: &$0, with: models) }
        guard let owner else { return }
        if !isDeletedForGood, let context = models.lazy.compactMap({ $0.storage.context }).first {
            return context.insertAny(owner)
        }
        guard let inverse = shape.inverse(of: property) else { return }
        for removed in change.removed { removed.model.storage.unlink(owner, inverse) }
        for added in change.added { added.model.storage.join(owner, inverse, property) }
    }

    private func unlink(_ model: any PersistentModel, _ property: ModelShape.Property) {
        guard object == nil else { return }
        _ = changeDetachedModels(property) { $0.remove(ModelReference(model)) }
    }

    private func join(_ model: any PersistentModel, _ property: ModelShape.Property, _ back: ModelShape.Property) {
        guard object == nil, let type = property.relationship else { return }
        let reference = ModelReference(model)
        if type.isToMany { return changeDetachedModels(property) { $0.append(reference) } }
        let old = detachedModels(property)
        if old.contains(reference) { return }
        // It had another owner, which loses it.
        if let own = self.model { old.first?.model.storage.unlink(own, back) }
        changeDetachedModels(property) { $0 = [reference] }
    }
}

/// The models that came and went when related models were replaced. Those in front that stay cost a comparison each.
private struct DetachedChange {
    let removed: [ModelReference]
    let added: [ModelReference]

    init(replacing old: inout MemberList<ModelReference>, with models: [some PersistentModel]) {
        var count = 0
        for (reference, model) in zip(old, models) {
            guard reference.model === model else { break }
            count += 1
        }
        let wanted = MemberList(models.dropFirst(count).map { ModelReference($0) })
        removed = old.dropFirst(count).filter { !wanted.contains($0) }
        var added: [ModelReference] = []
        for reference in wanted where !old.contains(reference) { added.append(reference) }
        self.added = added
        old.removeAll(after: count)
        old.append(contentsOf: wanted)
    }
}
#endif
