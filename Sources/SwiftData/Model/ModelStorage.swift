#if SwiftData
import Firn
import FirnModel
import Foundation

/// The values of a model, whatever its class.
///
/// A model that is in no context has them itself, by the names of its properties. One that is in a context has a
/// managed object, to which it leaves everything: changes, faults, inverses.
final class ModelStorage {
    let type: any PersistentModel.Type
    let shape: ModelShape
    /// The model that has this storage. Unknown until it is first used.
    private(set) weak var model: (any PersistentModel)?
    /// The managed object, while the model is in a context.
    private(set) var object: ModelObject?
    /// The context that the model is in.
    private(set) var context: ModelContext?
    /// Values by property, while the model is in no context.
    private(set) var values: [String: Any] = [:]
    private var ownIdentifier: PersistentIdentifier?
    private var isDeletedForGood = false

    /// The storage of a new model.
    init(newOf type: any PersistentModel.Type) {
        self.type = type
        shape = ModelShape.of(type)
        if shape.superclass != nil { PendingSubclass.push(self) }
    }

    /// The storage of a model that a context has.
    init(type: any PersistentModel.Type, object: ModelObject, context: ModelContext) {
        self.type = type
        shape = ModelShape.of(type)
        self.object = object
        self.context = context
    }

    func register(_ model: any PersistentModel) {
        if self.model == nil { self.model = model }
    }

    /// Temporary until the model is saved; the temporary one is the same all along.
    var identifier: PersistentIdentifier {
        get {
            if let object, !object.objectID.isTemporaryID { return PersistentIdentifier(object.objectID) }
            if let ownIdentifier { return ownIdentifier }
            let made = PersistentIdentifier(temporaryFor: shape.entityName)
            ownIdentifier = made
            if let object { context?.remember(made, object) }
            return made
        }
        set { ownIdentifier = newValue }
    }

    var hasChanges: Bool { object?.hasChanges ?? false }
    var isDeleted: Bool { isDeletedForGood || object?.isDeleted == true }

    /// Gives the model a managed object and hands its values over, those of relationships last: they may lead back.
    func attach(_ object: ModelObject, in context: ModelContext) {
        let values = self.values
        self.values = [:]
        self.object = object
        self.context = context
        isDeletedForGood = false
        if let ownIdentifier { context.remember(ownIdentifier, object) }
        for property in shape.properties {
            guard let value = values[property.name] else { continue }
            switch property.kind {
            case .attribute(let column?): object.setValue(column.stored(any: value), forKey: property.name)
            case .attribute(nil): object.setValue(value, forKey: property.name)
            case .relationship: break
            }
        }
        for property in shape.properties where property.relationship != nil {
            guard let related = values[property.name] as? [any PersistentModel], !related.isEmpty else { continue }
            setRelated(related, property)
        }
    }

    /// Ends the model's time in a context. Its attributes, and the models that it had one of, stay readable.
    func detach(isDeleted: Bool, keepingValues: Bool = true) {
        guard let object else { return }
        ownIdentifier = identifier
        if keepingValues { values = lastValues ?? capturedValues(of: object) }
        lastValues = nil
        isDeletedForGood = isDeleted
        object.model = nil
        self.object = nil
        context = nil
    }

    /// The model is in its context again: its deletion was undone.
    func reattach(_ object: ModelObject, in context: ModelContext) {
        values = [:]
        lastValues = nil
        isDeletedForGood = false
        self.object = object
        self.context = context
        object.model = model
    }

    /// What a deletion that is about to be saved will leave.
    private var lastValues: [String: Any]?

    /// Reads what stays readable after the deletion is saved.
    func captureValues() {
        guard let object else { return }
        lastValues = capturedValues(of: object)
    }

    private func capturedValues(of object: ModelObject) -> [String: Any] {
        var captured: [String: Any] = [:]
        for property in shape.properties {
            switch property.kind {
            case .attribute(let column?):
                captured[property.name] = column.anyValue(object.value(forKey: property.name))
            case .attribute(nil): captured[property.name] = object.value(forKey: property.name)
            case .relationship(let type) where !type.isToMany: captured[property.name] = related(property)
            case .relationship: break
            }
        }
        return captured
    }

    /// Gives a property of a model that is in no context a value of its type.
    func setSample(_ value: Any, _ name: String) { values[name] = value }

    /// The model goes over to another managed object: it was inserted with unique values that this one has.
    func replaceObject(with other: ModelObject) {
        object?.model = nil
        object = other
        if other.model == nil { other.model = model }
    }

    // Values.

    private func property<Value>(_ keyPath: KeyPath<some Any, Value>) -> ModelShape.Property {
        guard let property = shape.property(for: keyPath) else {
            fatalError("\(type) has no persisted property at \(keyPath)")
        }
        return property
    }

    func attribute<Value>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        guard case .attribute(let column) = property.kind, let column = column as? Column<Value> else {
            fatalError("\(type).\(property.name) is not read as it is declared: \(Value.self)")
        }
        if let object {
            let stored = object.value(forKey: property.name)
            if stored == nil, property.isEphemeral, let value = property.defaultValue as? Value { return value }
            return column.decode(stored)
        }
        if let value = values[property.name] as? Value { return value }
        return (property.defaultValue as? Value) ?? column.decode(nil)
    }

    func setAttribute<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        let property = property(keyPath)
        guard let object else {
            values[property.name] = value
            return
        }
        guard case .attribute(let column) = property.kind, let column = column as? Column<Value> else {
            fatalError("\(type).\(property.name) is not set as it is declared: \(Value.self)")
        }
        object.setValue(column.encode(value), forKey: property.name)
        context?.scheduleSave()
    }

    func transformable<Value>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        let stored = object.map { $0.value(forKey: property.name) } ?? values[property.name]
        if let value = stored as? Value { return value }
        if let value = property.defaultValue as? Value { return value }
        if let type = Value.self as? any NilMaking.Type, let none = type.none as? Value { return none }
        fatalError("\(type).\(property.name) has no value that is a \(Value.self)")
    }

    func setTransformable<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        let property = property(keyPath)
        let plain: Any? = if let optional = value as? any OptionalType { optional.wrappedValue } else { value }
        guard let object else {
            values[property.name] = plain
            return
        }
        object.setValue(plain, forKey: property.name)
        context?.scheduleSave()
    }

    // Relationships.

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
        guard let object, let context else { return values[property.name] as? [any PersistentModel] ?? [] }
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

    private func setRelated(
        _ related: [any PersistentModel], _ property: ModelShape.Property, owner: (any PersistentModel)? = nil
    ) {
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
        let old = values[property.name] as? [any PersistentModel] ?? []
        values[property.name] = related
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
        guard object == nil, var list = values[property.name] as? [any PersistentModel] else { return }
        list.removeAll { $0 === model }
        values[property.name] = list
    }

    private func join(_ model: any PersistentModel, _ property: ModelShape.Property, _ back: ModelShape.Property) {
        guard object == nil, let type = property.relationship else { return }
        var list = values[property.name] as? [any PersistentModel] ?? []
        if list.contains(where: { $0 === model }) { return }
        if !type.isToMany {
            // It had another owner, which loses it.
            if let own = self.model { list.first?.storage.unlink(own, back) }
            list = []
        }
        values[property.name] = list + [model]
    }
}

/// An optional type, to make its nil.
protocol NilMaking {
    static var none: Any { get }
}

extension Optional: NilMaking {
    static var none: Any { Self?.some(nil) as Any }
}
#endif
