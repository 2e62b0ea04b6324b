#if SwiftData
import Firn
import FirnFoundation
import FirnRuntime
import Foundation

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
    private var attributes: [AttributeValue?] = []
    /// Empty for none.
    private var relationships: [MemberList<ModelReference>] = []

    init(of shape: ModelShape) { count = shape.properties.count }

    var isEmpty: Bool { attributes.isEmpty && relationships.isEmpty }

    func attribute(_ property: ModelShape.Property) -> AttributeValue? {
        attributes.isEmpty ? nil : attributes[property.index]
    }

    mutating func setAttribute(_ value: AttributeValue?, _ property: ModelShape.Property) {
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

/// The managed object of a model.
final class ModelObject: NSManagedObject {
    /// Not `weak`: every reference to a model would be counted in a side table from then on.
    private var reference: WeakReference<AnyObject>?

    /// The model, while anybody has it.
    var model: (any PersistentModel)? {
        get { reference?.object as? any PersistentModel }
        set { reference = newValue.map { WeakReference($0) } }
    }

    /// The model, if anybody has it and it is of this class.
    func model<Model: PersistentModel>(as type: Model.Type) -> Model? { reference?.object as? Model }

    var hasModel: Bool { reference?.object != nil }
}

/// The order of `persistentModelID` in a fetch: as a store has it, new models last.
extension ModelObject: PartiallyOrdered {
    func order(to other: AnyObject) -> ComparisonResult? {
        guard let other = other as? ModelObject else { return nil }
        if precedes(other) { return .orderedAscending }
        return other.precedes(self) ? .orderedDescending : .orderedSame
    }
}
#endif
