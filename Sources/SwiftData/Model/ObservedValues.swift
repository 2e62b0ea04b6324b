#if SwiftData
import Firn
import Foundation
public import Observation

/// Attributes of models before something changes them underneath: a merge, a rollback. Observers of those that changed
/// are notified after it; of relationships, `ReadRelationships` does so.
struct ObservedValues {
    private struct Entry {
        let model: any PersistentModel
        let object: ModelObject
        let values: [String: Any?]
    }

    private var entries: [Entry] = []

    /// Of objects whose models nobody has, nothing is noted: nobody observes them.
    init(_ objects: some Sequence<ModelObject>) {
        for object in objects {
            guard let model = object.model, !object.isFault else { continue }
            entries.append(Entry(model: model, object: object, values: Self.values(of: object, model)))
        }
    }

    private static func values(of object: ModelObject, _ model: any PersistentModel) -> [String: Any?] {
        var values: [String: Any?] = [:]
        for property in ModelShape.of(type(of: model)).properties where property.relationship == nil {
            values[property.name] = object.value(forKey: property.name)
        }
        return values
    }

    func notifyOfChanges() {
        for entry in entries where entry.object.managedObjectContext != nil {
            let new = Self.values(of: entry.object, entry.model)
            let changed = entry.values.filter { name, old in !Self.isEqual(old, new[name] ?? nil) }
            if changed.isEmpty { continue }
            for model in entry.object.models { ModelObservers(model).notify(Set(changed.keys)) }
        }
    }

    static func isEqual(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left as AnyHashable, let right as AnyHashable): left == right
        case (let left as [String: Any], let right as [String: Any]): NSDictionary(dictionary: left).isEqual(to: right)
        default: false
        }
    }
}

/// The observers of a model's properties: `@Model` gives every class of a model a registrar.
struct ModelObservers {
    private let model: any PersistentModel

    init(_ model: any PersistentModel) { self.model = model }

    /// Notifies the observers of properties that have other values now.
    func notify(_ names: Set<String>) {
        var mirror: Mirror? = Mirror(reflecting: model)
        while let level = mirror {
            if let type = level.subjectType as? any PersistentModel.Type,
                let registrar = level.descendant("_$registrar") as? ModelRegistrar
            {
                for property in ModelShape.of(type).ownProperties where names.contains(property.name) {
                    notify(type, property, registrar.registrar)
                }
            }
            mirror = level.superclassMirror
        }
    }

    private func notify<Model: PersistentModel>(
        _ type: Model.Type, _ property: ModelShape.Property, _ registrar: ObservationRegistrar
    ) {
        guard let model = model as? Model else { return }
        func notify<Value>(_ value: Value.Type) {
            guard let keyPath = property.keyPath as? KeyPath<Model, Value> else { return }
            registrar.willSet(model, keyPath: keyPath)
            registrar.didSet(model, keyPath: keyPath)
        }
        _openExistential(property.valueType, do: notify)
    }
}

/// The observers of the properties that one class of a model declares. A model has none until one of them is read:
/// nobody observes it before. Ours, not Apple's.
///
/// A class around Observation's structure, whose size that module keeps to itself: whatever holds it asks for the size
/// with each look.
public final class ModelRegistrar {
    let registrar = ObservationRegistrar()

    /// A registrar without observers.
    public init() {}

    /// Notes that a property is read, for who observes what is read now.
    public func access<Model: Observable, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
        registrar.access(model, keyPath: keyPath)
    }

    /// Changes a property, and tells its observers before and after.
    public func withMutation<Model: Observable, Value, Result>(
        of model: Model, keyPath: KeyPath<Model, Value>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        try registrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
}
#endif
