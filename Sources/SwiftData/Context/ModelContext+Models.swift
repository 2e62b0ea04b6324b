#if SwiftData
import Firn
import FirnModel

/// From managed objects to their models: one for each, as long as anybody has it.
extension ModelContext {
    /// The model of a managed object.
    final func model(of object: ModelObject) -> any PersistentModel {
        if let model = object.model { return model }
        func make<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
            makeModel(ModelShape.of(type), of: object, .current) as Model
        }
        return make(container.type(of: object.entity))
    }

    /// The models of managed objects, those of other classes left out.
    final func models<T: PersistentModel>(of objects: [ModelObject]) -> [T] {
        let shape = ModelShape.of(T.self)
        // The entity whose models are of this very class, which most are: no other one is looked up, and no model cast.
        var entity: NSEntityDescription?
        let pending = PendingStorage.current
        var models: [T] = []
        models.reserveCapacity(objects.count)
        for object in objects {
            if object.entity !== entity, container.type(of: object.entity) == T.self { entity = object.entity }
            if object.entity === entity {
                models.append(object.model(as: T.self) ?? makeModel(shape, of: object, pending))
            } else if let model = model(of: object) as? T {
                models.append(model)
            }
        }
        return models
    }

    @inline(__always)
    private final func makeModel<Model: PersistentModel>(
        _ shape: ModelShape, of object: ModelObject, _ pending: PendingStorage
    ) -> Model {
        let storage = ModelStorage(of: shape, object: object, context: self)
        let model = pending.making(storage) { Model(backingData: ModelBackingData<Model>(storage)) }
        object.model = model
        return model
    }
}
#endif
