#if SwiftData
import Firn
import protocol FirnFoundation.AnyOptional
import FirnModel
import FirnRuntime
import Foundation

/// Knows the objects that identifiers stand for: a context.
protocol ObjectIDSource: AnyObject {
    /// The ID of an identifier's object; nil for one of a store that is not open here.
    func objectID(for identifier: PersistentIdentifier) -> NSManagedObjectID?
    /// The entities by name.
    var entitiesByName: [String: NSEntityDescription] { get }
    /// The shape of an entity's models, from their class; nil for an entity without a class.
    func shape(of entity: NSEntityDescription) -> ModelShape?
}

/// The value in a store's predicate for a constant of a `#Predicate`.
enum ConstantTranslation {
    /// Knows the objects that the identifiers of the predicate being translated stand for.
    @TaskLocal static var objectIDs: Transferred<any ObjectIDSource>?

    /// The identifier of a model, the raw value of an enumeration, and lists of them; nil for what stays as it is.
    static func stored(_ value: Any) -> Any? {
        switch value {
        case let identifier as PersistentIdentifier: objectID(of: identifier)
        case let model as any PersistentModel: objectID(of: model.persistentModelID)
        case let value as any RawRepresentable: raw(value)
        case let list as any Collection where !(value is any ColumnValue): elements(list)
        default: nil
        }
    }

    /// An identifier of no store here is that of no object.
    private static func objectID(of identifier: PersistentIdentifier) -> Any? {
        guard let source = objectIDs?.value else { return nil }
        return source.objectID(for: identifier) ?? NSManagedObjectID()
    }

    /// The entities of a model and of its subclasses, its own first.
    static func entities(of model: any PersistentModel.Type) -> [NSEntityDescription]? {
        guard let names = objectIDs?.value.entitiesByName else { return nil }
        return names[ModelShape.of(model).entityName]?.selfAndDescendants ?? []
    }

    private static func raw<Value: RawRepresentable>(_ value: Value) -> Any? {
        (value.rawValue as? any ColumnValue)?.stored
    }

    /// The first element that is not nil tells what the others are: nil itself has no stored form.
    private static func elements(_ list: some Collection) -> Any? {
        guard let sample = list.first(where: { !isNil($0) }), stored(sample) != nil else { return nil }
        return list.map { isNil($0) ? NSNull() : stored($0) ?? $0 }
    }

    private static func isNil(_ value: Any) -> Bool {
        guard let optional = value as? any AnyOptional else { return false }
        return optional.unwrapped == nil
    }
}
#endif
