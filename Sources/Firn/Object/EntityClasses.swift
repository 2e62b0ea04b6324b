import FirnModel
import FirnRuntime
import Foundation
import Synchronization

/// The class of an entity's objects, and the entity that a class stands for.
///
/// Xcode writes a class name with its module, without, or with a leading dot for "the current module". On Linux no
/// runtime finds a class by its bare name, so modules are tried: the one named, the main program's, and those
/// of classes that were used with `init(context:)` or registered.
enum EntityClasses {
    private struct State {
        var entities: [ObjectIdentifier: [WeakEntity]] = [:]
        /// Classes the program has shown, by their bare name.
        var known: [String: NSManagedObject.Type] = [:]
    }

    /// Weak in the model: entities are retained too often to pay for a weak reference each time.
    private struct WeakEntity {
        @WeaklyReferenced var model: NSManagedObjectModel?
        let name: String

        var entity: NSEntityDescription? { model?.entitiesByName[name] }
    }

    private static let state = Mutex(State())

    /// Remembers the entities of a model, for `NSManagedObject.entity()`.
    static func register(_ model: NSManagedObjectModel) {
        for entity in model.entities {
            let type = objectClass(of: entity)
            guard type != NSManagedObject.self else { continue }
            state.withLock { state in
                var list = state.entities[ObjectIdentifier(type)] ?? []
                list.removeAll { $0.entity == nil || $0.entity === entity }
                list.append(WeakEntity(model: model, name: entity.name ?? ""))
                state.entities[ObjectIdentifier(type)] = list
            }
        }
    }

    static func objectClass(of entity: NSEntityDescription) -> NSManagedObject.Type {
        if let known = entity.knownObjectClass { return known }
        let found = find(entity.managedObjectClassName ?? "") ?? NSManagedObject.self
        entity.knownObjectClass = found
        return found
    }

    private static func find(_ className: String) -> NSManagedObject.Type? {
        let bare = className.split(separator: ".").last.map(String.init) ?? className
        guard !bare.isEmpty, bare != "NSManagedObject" else { return nil }
        let known = state.withLock { $0.known[bare] }
        return known ?? GeneratedClassName.find(className, as: NSManagedObject.Type.self)
    }

    /// The entity that a class stands for: in a context's model, or in any model that is in use.
    static func entity(of type: NSManagedObject.Type, in model: NSManagedObjectModel?) -> NSEntityDescription? {
        let bare = String(describing: type)
        if let model {
            let matching = model.entities.filter { entity in
                entity.managedObjectClassName?.split(separator: ".").last.map(String.init) == bare
            }
            if let entity = matching.first(where: { $0.name == bare }) ?? matching.first {
                adopt(type, entity)
                return entity
            }
            if let entity = model.entitiesByName[bare] { return entity }
            // A class that the model knows by another name.
            if let entity = model.entities.first(where: { $0.knownObjectClass == type }) { return entity }
        }
        // Not lazily: what is asked twice may be gone the second time.
        return state.withLock { $0.entities[ObjectIdentifier(type)]?.compactMap(\.entity).last }
    }

    private static func adopt(_ type: NSManagedObject.Type, _ entity: NSEntityDescription) {
        state.withLock { $0.known[String(describing: type)] = type }
        entity.knownObjectClass = type
    }
}

extension NSEntityDescription {
    /// The class of the entity's objects, once somebody has found or chosen it.
    var knownObjectClass: NSManagedObject.Type? {
        @inline(__always) get {
            objectClassReference.load(as: NSManagedObject.self)
        }
        set {
            guard newValue != knownObjectClass else { return }
            accessorsReference.store(newValue.flatMap { GeneratedKeyNames.hasAccessors($0) ? $0 : nil })
            objectClassReference.store(newValue)
        }
    }

    /// Whether key-value coding calls accessors of the class, see `GeneratedKeyNames`.
    var hasAccessors: Bool { accessorsReference.load(as: NSManagedObject.self) != nil }

    /// The class whose instances this entity's objects are.
    var objectClass: NSManagedObject.Type { EntityClasses.objectClass(of: self) }
}
