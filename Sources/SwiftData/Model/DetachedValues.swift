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
    /// Models that were inserted with unique values of this one's: they stand for it as well.
    private var standIns: [WeakReference<AnyObject>] = []

    /// The model, while anybody has it. A deleted object keeps it: the deletion may be undone.
    var model: (any PersistentModel)? {
        get { (reference?.object ?? standIn) as? any PersistentModel }
        set { reference = newValue.map { WeakReference($0) } }
    }

    /// The model, if anybody has it and it is of this class.
    func model<Model: PersistentModel>(as type: Model.Type) -> Model? { (reference?.object ?? standIn) as? Model }

    var hasModel: Bool { (reference?.object ?? standIn) != nil }

    private var standIn: AnyObject? { standIns.isEmpty ? nil : standIns.lazy.compactMap(\.object).first }

    /// All models of the object that anybody has.
    var models: [any PersistentModel] {
        let own = reference?.object as? any PersistentModel
        return (own.map { [$0] } ?? []) + standIns.compactMap { $0.object as? any PersistentModel }
    }

    func add(_ model: any PersistentModel) {
        if hasModel { standIns.append(WeakReference(model)) } else { self.model = model }
    }

    func remove(_ model: any PersistentModel) {
        let others = models.filter { $0 !== model }
        (reference, standIns) = (nil, [])
        for other in others { add(other) }
    }

    /// Reads the last values before delete rules act. Nothing of a new object is in a store: its models leave the
    /// context with it.
    override func prepareForDeletion() {
        let context = (managedObjectContext as? ModelManagedContext)?.owner
        context?.hasDeletions = true
        guard hasModel, !isDeleted, context?.isMissing(self) == false else { return }
        for model in models {
            guard isInserted else {
                model.storage.captureValues()
                continue
            }
            model.storage.captureDiscarded()
            model.storage.detach(isDeleted: true)
        }
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        let context = (managedObjectContext as? ModelManagedContext)?.owner
        if let manager = context?.undoManager, manager.isUndoing || manager.isRedoing { context?.scheduleSave() }
        switch flags {
        case .undoDeletion:
            guard let context else { return }
            for model in models {
                model.storage.endCapture(isDetached: false)
                if model.storage.object === self { continue }
                // It may have been inserted again meanwhile, with another object.
                if model.storage.object == nil { model.storage.reattach(self, in: context) } else { remove(model) }
            }
        case .rollback: for model in models { model.storage.endCapture(isDetached: false) }
        case .undoInsertion where objectID.isTemporaryID:
            // Those that left before may have had no model.
            let leaving = context?.captureInserted([self]) { $0.isDeleted && $0.objectID.isTemporaryID } ?? []
            for model in leaving { model.storage.detach(isDeleted: false) }
        case .undoUpdate:
            let names = hasModel ? Set(changedValuesForCurrentEvent().keys) : []
            if !names.isEmpty { for model in models { ModelObservers(model).notify(names) } }
        default: break
        }
    }
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
