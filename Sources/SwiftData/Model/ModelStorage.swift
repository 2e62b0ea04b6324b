#if SwiftData
import Firn
import protocol FirnFoundation.AnyOptional
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
    /// The values while the model is in no context.
    private var values: DetachedValues
    private var ownIdentifier: PersistentIdentifier?
    /// The to-many relationships that were set since the last save, with their models.
    var relatedLists: [Int: any CountedList] = [:]
    private(set) var isDeletedForGood = false
    /// The relationships that were read since their observers were notified last, a bit for each.
    var readRelationships: UInt64 = 0

    /// The storage of a new model.
    init(newOf type: any PersistentModel.Type) {
        shape = ModelShape.of(type)
        values = DetachedValues(of: shape)
        if shape.superclass != nil { PendingSubclass.push(self) }
    }

    /// The storage of a model that a context has.
    init(of shape: ModelShape, object: ModelObject, context: ModelContext) {
        self.shape = shape
        self.object = object
        self.context = context
        values = DetachedValues(of: shape)
    }

    var type: any PersistentModel.Type { shape.type }

    /// The model that has this storage.
    var model: (any PersistentModel)? { ownModel?.object as? any PersistentModel ?? object?.model }

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

    /// Gives the model a managed object and hands its attributes over. `attachRelationships()` has to follow, once the
    /// models that it is related to have managed objects too.
    func attach(_ object: ModelObject, in context: ModelContext) {
        self.object = object
        self.context = context
        isDeletedForGood = false
        if let ownIdentifier { context.remember(ownIdentifier, object) }
        if readRelationships != 0 { context.observeDeletions() }
        if values.isEmpty { return }
        for property in shape.properties {
            guard let value = values.attribute(property), case .attribute(let column) = property.kind else { continue }
            if let column, !property.isPlain {
                column.attach(value, to: object, property.place)
            } else {
                object.setPlainValue(value, at: property.place)
            }
        }
    }

    /// Hands the relationships over to the managed object.
    func attachRelationships() {
        if values.isEmpty { return }
        let values = self.values
        self.values = DetachedValues(of: shape)
        relatedLists = [:]
        for property in shape.properties where property.relationship != nil {
            let related = values.related(property)
            if !related.isEmpty { setRelated(related.map { $0.model.storage }, property) }
        }
    }

    /// The models that a model in no context is related to.
    var allDetachedModels: some Sequence<ModelReference> { values.allRelated }

    func setOwnValue(_ value: AttributeValue?, _ property: ModelShape.Property) { values.setAttribute(value, property) }

    /// The value that a model in no context has for a property.
    func kept(_ property: ModelShape.Property) -> AttributeValue? { values.attribute(property) }

    /// The models that a model in no context has for a relationship.
    func detachedModels(_ property: ModelShape.Property) -> MemberList<ModelReference> { values.related(property) }

    func changeDetachedModels<R>(
        _ property: ModelShape.Property, _ change: (inout MemberList<ModelReference>) -> R
    ) -> R {
        if !relatedLists.isEmpty { relatedLists[property.index] = nil }
        return values.changeRelated(property, change)
    }

    /// Ends the model's time in a context. Its attributes, and the models that it had one of, stay readable.
    func detach(isDeleted: Bool) {
        guard let object else { return }
        ownIdentifier = identifier
        relatedLists = [:]
        values = lastValues ?? capturedValues(of: object)
        lastValues = nil
        isDeletedForGood = isDeleted
        self.object = nil
        context = nil
    }

    /// The model is in its context again: its deletion was undone. One that was saved will have another identifier.
    func reattach(_ object: ModelObject, in context: ModelContext) {
        values = DetachedValues(of: shape)
        isDeletedForGood = false
        self.object = object
        self.context = context
        if ownIdentifier?.isTemporary == false { ownIdentifier = nil }
        if let ownIdentifier { context.remember(ownIdentifier, object) }
    }

    /// The values that a deletion which is to be saved will leave.
    private var lastValues: DetachedValues?

    /// Reads what stays readable after the deletion is saved: attributes as they are then, relationships as they were
    /// when the deletion began. Delete rules end them, some of them only where they were read.
    func captureValues() {
        guard let object else { return }
        lastValues = capturedValues(of: object, object.isDeleted ? lastValues : nil)
    }

    /// Reads all values of a new model that leaves its context: it may be inserted again as it was. Gives the models
    /// that it is related to.
    @discardableResult
    func captureInserted() -> [ModelReference] {
        guard let object else { return [] }
        var captured = capturedValues(of: object)
        for property in shape.properties where property.relationship?.isToMany == true {
            let models = related(property).map(ModelReference.init)
            if !models.isEmpty { captured.changeRelated(property) { $0 = MemberList(models) } }
        }
        lastValues = captured
        return Array(captured.allRelated)
    }

    /// Ends the model's time in its context after a deletion, or drops what was read for one that was overtaken.
    func endCapture(isDetached: Bool) {
        if isDetached { detach(isDeleted: true) } else { lastValues = nil }
    }

    /// Reads what stays readable of a new model that is deleted. It leads no more to what took it along, which would
    /// come with it if it was inserted again.
    func captureDiscarded() {
        captureInserted()
        for property in shape.properties where property.relationship?.isToMany == false && property.isOptional {
            lastValues?.changeRelated(property) { related in
                related = MemberList(related.filter { !$0.model.isDeleted })
            }
        }
    }

    /// - Parameter earlier: the values with the relationships, if they were read before.
    private func capturedValues(of object: ModelObject, _ earlier: DetachedValues? = nil) -> DetachedValues {
        var captured = DetachedValues(of: shape)
        for property in shape.properties {
            switch property.kind {
            case .attribute(let column?): captured.setAttribute(column.captured(from: object, property.place), property)
            case .attribute(nil): captured.setAttribute(object.plainValue(at: property.place), property)
            case .relationship(let type) where !type.isToMany:
                let models = earlier?.related(property) ?? MemberList(related(property).map(ModelReference.init))
                captured.changeRelated(property) { $0 = models }
            case .relationship: break
            }
        }
        return captured
    }

    /// Gives a property of a model that is in no context a value of its type.
    func setSample(_ value: Any, _ name: String) {
        guard let property = shape.property(named: name) else { return }
        switch property.kind {
        case .attribute(let column?): setOwnValue(column.kept(any: value), property)
        case .attribute(nil): setOwnValue(.object(value), property)
        case .relationship:
            let models = value as? [any PersistentModel] ?? []
            changeDetachedModels(property) { $0 = MemberList(models.map(ModelReference.init)) }
        }
    }

    /// The model, which this is the storage of, goes over to another managed object: it was inserted with unique values
    /// that this one has.
    func replaceObject(with other: ModelObject, of model: any PersistentModel) {
        relatedLists = [:]
        object = other
        other.add(model)
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
        let column: ModelColumn<Value> = column(of: property)
        guard let object else { return keptAttribute(property, column) }
        return column.read(object, property.place)
    }

    /// Apart, as what it makes of optionals takes time even where it is not done.
    @inline(never)
    private func keptAttribute<Value>(_ property: ModelShape.Property, _ column: ModelColumn<Value>) -> Value {
        if let value = kept(property).flatMap(column.value(kept:)) { return value }
        return (property.defaultValue as? Value) ?? column.decode(nil)
    }

    /// The whole number that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func integer(_ keyPath: AnyKeyPath) -> Int64? {
        guard let property = shape.property(for: keyPath), property.isPlain else { return nil }
        if let object { return object.plainInteger(at: property.place) }
        if case .integer(let value)? = kept(property) { return value }
        return nil
    }

    /// The real number that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func real(_ keyPath: AnyKeyPath) -> Double? {
        guard let property = shape.property(for: keyPath), property.isPlain else { return nil }
        if let object { return object.plainReal(at: property.place) }
        if case .real(let value)? = kept(property) { return value }
        return nil
    }

    /// The text that the model has for an attribute; nil where the attribute has none, or has to be asked for.
    func text(_ keyPath: AnyKeyPath) -> String? {
        guard let property = shape.property(for: keyPath), property.isPlain else { return nil }
        if let object { return object.plainText(at: property.place) }
        if case .text(let value)? = kept(property) { return value }
        return nil
    }

    /// Whether the model's value for an attribute is nil; false where the attribute has to be asked for.
    func isNull(_ keyPath: AnyKeyPath) -> Bool {
        guard let property = shape.property(for: keyPath), property.isPlain else { return false }
        return (object.map { $0.plainValue(at: property.place) } ?? kept(property))?.isNull ?? false
    }

    /// Sets an attribute whose values are stored as they are. False for other properties, which are not set.
    func setPlainValue(_ value: AttributeValue, _ keyPath: AnyKeyPath) -> Bool {
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

    private func column<Value>(of property: ModelShape.Property) -> ModelColumn<Value> {
        guard case .attribute(let column?) = property.kind, let column = column as? ModelColumn<Value> else {
            fatalError("\(type).\(property.name) is not used as it is declared: \(Value.self)")
        }
        return column
    }

    func setAttribute<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        if isBeingMade { return }
        let property = property(keyPath)
        let column: ModelColumn<Value> = column(of: property)
        guard let object else { return setOwnValue(column.kept(value), property) }
        column.write(value, to: object, property.place)
        context?.scheduleSave()
    }

    func transformable<Value>(_ keyPath: KeyPath<some Any, Value>) -> Value {
        let property = property(keyPath)
        let stored = object.map { $0.plainValue(at: property.place) } ?? kept(property)
        if case .object(let stored)? = stored, let value = stored as? Value { return value }
        let none: Value? = (Value.self as? any AnyOptional.Type).flatMap { $0.nothing as? Value }
        // A value that was set to nil has no default.
        if stored?.isNull == true, let none { return none }
        if let value = property.defaultValue as? Value ?? none { return value }
        fatalError("\(type).\(property.name) has no value that is a \(Value.self)")
    }

    func setTransformable<Value>(_ value: Value, _ keyPath: KeyPath<some Any, Value>) {
        if isBeingMade { return }
        let property = property(keyPath)
        let plain: Any? = if let optional = value as? any AnyOptional { optional.unwrapped } else { value }
        let kept: AttributeValue = plain.map { .object($0) } ?? .null
        guard let object else { return setOwnValue(kept, property) }
        object.setPlainValue(kept, at: property.place)
        context?.scheduleSave()
    }
}
#endif
