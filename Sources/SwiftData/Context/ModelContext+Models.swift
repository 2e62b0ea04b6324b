#if SwiftData
import Firn
import FirnModel

/// From managed objects to their models: one for each, as long as anybody has it.
extension ModelContext {
    /// The model of a managed object.
    final func model(of object: ModelObject) -> any PersistentModel {
        if let model = object.model { return model }
        func make<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
            makeModel(ModelBackingData<Model>.self, ModelShape.of(type), of: object, .current)
        }
        return make(container.type(of: object.entity))
    }

    /// The models of managed objects, those of other classes left out.
    final func models<T: PersistentModel>(of objects: [ModelObject]) -> [T] {
        models(of: objects, ModelBackingData<T>.self)
    }

    /// - Parameter type: a type of which the model's class is a part. Where it is named, it is looked up: once here.
    private final func models<Backing: StorageBacking>(
        of objects: [ModelObject], _ type: Backing.Type
    ) -> [Backing.Model] {
        let shape = ModelShape.of(Backing.Model.self)
        // The entity whose models are of this very class, which most are: no other one is looked up, and no model cast.
        var entity: NSEntityDescription?
        let pending = PendingStorage.current
        var models: [Backing.Model] = []
        models.reserveCapacity(objects.count)
        for object in objects {
            if object.entity !== entity, container.type(of: object.entity) == Backing.Model.self {
                entity = object.entity
            }
            if object.entity === entity {
                models.append(
                    object.model(as: Backing.Model.self) ?? makeModel(type, shape, of: object, pending))
            } else if let model = model(of: object) as? Backing.Model {
                models.append(model)
            }
        }
        return models
    }

    private final func makeModel<Backing: StorageBacking>(
        _ type: Backing.Type, _ shape: ModelShape, of object: ModelObject, _ pending: PendingStorage
    ) -> Backing.Model {
        let storage = ModelStorage(of: shape, object: object, context: self)
        let model = pending.making(storage) { Backing.Model(backingData: type.init(storage)) }
        object.model = model
        return model
    }
}

/// Backing data that is made of a storage.
private protocol StorageBacking: BackingData {
    init(_ storage: ModelStorage)
}

extension ModelBackingData: StorageBacking {}
#endif
