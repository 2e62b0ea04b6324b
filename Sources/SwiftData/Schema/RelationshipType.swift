#if SwiftData
/// The type of a property that leads to other models.
struct RelationshipType {
    let destination: any PersistentModel.Type
    let isToMany: Bool
    let isOptional: Bool

    /// Nil for the type of an attribute.
    init?(_ type: Any.Type) {
        if let model = type as? any PersistentModel.Type {
            (destination, isToMany, isOptional) = (model, false, false)
        } else if let optional = type as? any OptionalType.Type, let inner = RelationshipType(optional.wrappedType) {
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
