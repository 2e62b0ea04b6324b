#if SwiftData
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
#endif
