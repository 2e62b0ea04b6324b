#if SwiftData
import Firn
import FirnModel
import FirnRuntime
import Foundation

/// The values of a model, whatever its class.
///
/// A model that is in no context has them itself, by its properties' indices. One that is in a context has a
/// managed object, to which it leaves everything: changes, faults, inverses.
public final class ModelStorage {
    let shape: ModelShape
    /// The model that has this storage, while it is in no context. Unknown until it is first used.
    private var ownModel: WeakReference<AnyObject>?
    /// Whether the model's initializer runs for a managed object that is there: the defaults that it gives properties
    /// count for nothing.
    var isBeingMade = false
    /// The managed object, while the model is in a context.
    private(set) var object: ModelObject?
    /// The context that the model is in.
    private(set) var context: ModelContext?
    /// Values by the properties' indices, while the model is in no context; empty for none. Related models are an
    /// array of models.
    private var values: [PlainValue?] = []
    private var ownIdentifier: PersistentIdentifier?
    private(set) var isDeletedForGood = false

    /// The storage of a new model.
    init(newOf type: any PersistentModel.Type) {
        shape = ModelShape.of(type)
        if shape.superclass != nil { PendingSubclass.push(self) }
    }

    /// The storage of a model that a context has.
    init(of shape: ModelShape, object: ModelObject, context: ModelContext) {
        self.shape = shape
        self.object = object
        self.context = context
    }

    var type: any PersistentModel.Type { shape.type }

    /// The model that has this storage.
    var model: (any PersistentModel)? { object?.model ?? ownModel?.object as? any PersistentModel }

    func register(_ model: any PersistentModel) {
        if object == nil, ownModel == nil { ownModel = WeakReference(model) }
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
        self.values = []
        self.object = object
        self.context = context
        isDeletedForGood = false
        if let ownIdentifier { context.remember(ownIdentifier, object) }
        if values.isEmpty { return }
        var hasRelationships = false
        for property in shape.properties {
            if property.isPlain {
                if let value = values[property.index] { object.setPlainValue(value, at: property.place) }
                continue
            }
            switch property.kind {
            case .attribute(let column?):
                if let value = values[property.index] { column.attach(value, to: object, property.place) }
            case .attribute(nil):
                if let value = values[property.index] { object.setPlainValue(value, at: property.place) }
            case .relationship: hasRelationships = true
            }
        }
        guard hasRelationships else { return }
        for property in shape.properties where property.relationship != nil {
            guard case .object(let value)? = values[property.index], let related = value as? [any PersistentModel],
                !related.isEmpty
            else { continue }
            setRelated(related, property)
        }
    }

    /// What a model in no context has for a property.
    func kept(_ property: ModelShape.Property) -> PlainValue? {
        values.isEmpty ? nil : values[property.index]
    }

    func setOwnValue(_ value: PlainValue?, _ property: ModelShape.Property) {
        if values.isEmpty { values = Array(repeating: nil, count: shape.properties.count) }
        values[property.index] = value
    }

    /// The models that a model in no context is related to.
    func keptModels(_ property: ModelShape.Property) -> [any PersistentModel]? {
        guard case .object(let value)? = kept(property) else { return nil }
        return value as? [any PersistentModel]
    }

    /// Ends the model's time in a context. Its attributes, and the models that it had one of, stay readable.
    func detach(isDeleted: Bool, keepingValues: Bool = true) {
        guard let object else { return }
        ownIdentifier = identifier
        if keepingValues { values = lastValues ?? capturedValues(of: object) }
        lastValues = nil
        isDeletedForGood = isDeleted
        if ownModel == nil { ownModel = object.model.map { WeakReference($0) } }
        object.model = nil
        self.object = nil
        context = nil
    }

    /// The model is in its context again: its deletion was undone.
    func reattach(_ object: ModelObject, in context: ModelContext) {
        values = []
        lastValues = nil
        isDeletedForGood = false
        self.object = object
        self.context = context
        object.model = model
        if let ownIdentifier { context.remember(ownIdentifier, object) }
    }

    /// What a deletion that is about to be saved will leave.
    private var lastValues: [PlainValue?]?

    /// Reads what stays readable after the deletion is saved.
    func captureValues() {
        guard let object else { return }
        lastValues = capturedValues(of: object)
    }

    private func capturedValues(of object: ModelObject) -> [PlainValue?] {
        shape.properties.map { property in
            switch property.kind {
            case .attribute(let column?): column.captured(from: object, property.place)
            case .attribute(nil): object.plainValue(at: property.place)
            case .relationship(let type) where !type.isToMany: .object(related(property))
            case .relationship: nil
            }
        }
    }

    /// Gives a property of a model that is in no context a value of its type.
    func setSample(_ value: Any, _ name: String) {
        guard let property = shape.property(named: name) else { return }
        if case .attribute(let column?) = property.kind { return setOwnValue(column.kept(any: value), property) }
        setOwnValue(.object(value), property)
    }

    /// The model goes over to another managed object: it was inserted with unique values that this one has.
    func replaceObject(with other: ModelObject) {
        let model = model
        object?.model = nil
        object = other
        if !other.hasModel { other.model = model }
    }

    // Values.

    func property<Value>(_ keyPath: KeyPath<some Any, Value>) -> ModelShape.Property {
        guard let property = shape.property(for: keyPath) else {
            fatalError("\(type) has no persisted property at \(keyPath)")
        }
        return property
    }

    func attribute<Value>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        let column: Column<Value> = column(of: property)
        guard let object else { return keptAttribute(property, column) }
        if property.isEphemeral, object.plainValue(at: property.place).isNull,
            let value = property.defaultValue as? Value
        {
            return value
        }
        return column.read(object, property.place)
    }

    /// Apart, as what it makes of optionals takes time even where it is not done.
    @inline(never)
    private func keptAttribute<Value>(_ property: ModelShape.Property, _ column: Column<Value>) -> Value {
        if let value = kept(property).flatMap(column.value(kept:)) { return value }
        return (property.defaultValue as? Value) ?? column.decode(nil)
    }

    /// The whole number that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func integer(_ keyPath: AnyKeyPath) -> Int64? {
        guard let object, let property = shape.property(for: keyPath), property.isPlain else { return nil }
        return object.plainInteger(at: property.place)
    }

    /// The real number that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func real(_ keyPath: AnyKeyPath) -> Double? {
        guard let object, let property = shape.property(for: keyPath), property.isPlain else { return nil }
        return object.plainReal(at: property.place)
    }

    /// The text that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func text(_ keyPath: AnyKeyPath) -> String? {
        guard let object, let property = shape.property(for: keyPath), property.isPlain else { return nil }
        return object.plainText(at: property.place)
    }

    /// What the model has for an attribute whose values are stored as they are; nil for other properties, and where a
    /// default has to be looked for.
    func plainValue(_ keyPath: AnyKeyPath) -> PlainValue? {
        guard let property = shape.property(for: keyPath), property.isPlain else { return nil }
        if let object { return object.plainValue(at: property.place) }
        return kept(property)
    }

    /// Sets an attribute whose values are stored as they are. False for other properties, which are not set.
    func setPlainValue(_ value: PlainValue, _ keyPath: AnyKeyPath) -> Bool {
        if isBeingMade { return true }
        guard let property = shape.property(for: keyPath), property.isPlain else { return false }
        guard let object else {
            setOwnValue(value, property)
            return true
        }
        object.setPlainValue(value, at: property.place)
        context?.scheduleSave()
        return true
    }

    private func column<Value>(of property: ModelShape.Property) -> Column<Value> {
        guard case .attribute(let column?) = property.kind, let column = column as? Column<Value> else {
            fatalError("\(type).\(property.name) is not used as it is declared: \(Value.self)")
        }
        return column
    }

    func setAttribute<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        if isBeingMade { return }
        let property = property(keyPath)
        let column: Column<Value> = column(of: property)
        guard let object else { return setOwnValue(column.kept(value), property) }
        column.write(value, to: object, property.place)
        context?.scheduleSave()
    }

    func transformable<Value>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        let stored = object.map { $0.plainValue(at: property.place) } ?? kept(property)
        if case .object(let stored)? = stored, let value = stored as? Value { return value }
        if let value = property.defaultValue as? Value { return value }
        if let type = Value.self as? any NilMaking.Type, let none = type.none as? Value { return none }
        fatalError("\(type).\(property.name) has no value that is a \(Value.self)")
    }

    func setTransformable<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        if isBeingMade { return }
        let property = property(keyPath)
        let plain: Any? = if let optional = value as? any OptionalType { optional.wrappedValue } else { value }
        let kept: PlainValue = plain.map { .object($0) } ?? .null
        guard let object else { return setOwnValue(kept, property) }
        object.setPlainValue(kept, at: property.place)
        context?.scheduleSave()
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
