#if SwiftData
import protocol FirnFoundation.AnyOptional

/// A collection of models that a to-many relationship can have.
public protocol RelationshipCollection {
    /// The models' type.
    associatedtype PersistentElement: PersistentModel

    /// The collection with these models. Ours, not Apple's.
    init(relatedModels: [PersistentElement])
    /// The models; empty for nil. Ours, not Apple's.
    var relatedModels: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
    public typealias PersistentElement = Element

    public init(relatedModels: [Element]) { self = relatedModels }
    public var relatedModels: [Element] { self }
}

extension Optional: RelationshipCollection
where Wrapped: RelationshipCollection & Sequence, Wrapped.Element: PersistentModel,
    Wrapped.PersistentElement == Wrapped.Element
{
    public typealias PersistentElement = Wrapped.Element

    public init(relatedModels: [Wrapped.Element]) { self = Wrapped(relatedModels: relatedModels) }
    public var relatedModels: [Wrapped.Element] { self?.relatedModels ?? [] }
}

/// The type of a property that leads to other models.
struct RelationshipType {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    let isOptional: Bool

    /// Nil for the type of an attribute.
    init?(_ type: Any.Type) {
        if let model = type as? any PersistentModel.Type {
            (destination, isToMany, isOptional) = (model, false, false)
        } else if let optional = type as? any AnyOptional.Type, let inner = RelationshipType(optional.wrappedType) {
            (destination, isToMany, isOptional) = (inner.destination, inner.isToMany, true)
        } else if let collection = type as? any RelationshipCollection.Type {
            destination = Self.element(of: collection)
            (isToMany, isOptional) = (true, false)
        } else {
            return nil
        }
    }

    private static func element<C: RelationshipCollection>(of type: C.Type) -> any PersistentModel.Type {
        C.PersistentElement.self
    }
}
#endif
