#if SwiftData
import Firn
import FirnRuntime

/// A model that stands for itself: two are equal if they are one object.
struct ModelReference: MemberReference {
    let model: any PersistentModel

    init(_ model: any PersistentModel) { self.model = model }

    var address: ObjectIdentifier { ObjectIdentifier(model) }
}

/// The values of a model that is in no context, by the properties' indices.
struct DetachedValues {
    private let count: Int
    /// Empty for none.
    private var attributes: [PlainValue?] = []
    /// Empty for none.
    private var relationships: [MemberList<ModelReference>] = []

    init(of shape: ModelShape) { count = shape.properties.count }

    var isEmpty: Bool { attributes.isEmpty && relationships.isEmpty }

    func attribute(_ property: ModelShape.Property) -> PlainValue? {
        attributes.isEmpty ? nil : attributes[property.index]
    }

    mutating func setAttribute(_ value: PlainValue?, _ property: ModelShape.Property) {
        if attributes.isEmpty { attributes = Array(repeating: nil, count: count) }
        attributes[property.index] = value
    }

    func related(_ property: ModelShape.Property) -> MemberList<ModelReference> {
        relationships.isEmpty ? [] : relationships[property.index]
    }

    /// Changes the related models where they are: a copy of many would cost more than the change.
    mutating func changeRelated<R>(
        _ property: ModelShape.Property, _ change: (inout MemberList<ModelReference>) -> R
    ) -> R {
        if relationships.isEmpty { relationships = Array(repeating: [], count: count) }
        return change(&relationships[property.index])
    }

    /// All related models.
    var allRelated: some Sequence<ModelReference> { relationships.joined() }
}
#endif
