#if SwiftData
import Firn
import FirnModel
import Foundation

extension ModelContext {
    /// Inserts a model, and those that it is related to. The next save saves them.
    public final func insert<T: PersistentModel>(_ model: T) { use.during("insert") { insertAny(model) } }

    final func insertAny(_ model: any PersistentModel) {
        let storage = model.storage
        if let object = storage.object {
            guard storage.context === self else {
                fatalError("\(storage.type) is in another context: a model cannot be in two")
            }
            if object.isDeleted {
                managed.insert(object)
                for model in object.models { model.storage.endCapture(isDetached: false) }
                scheduleSave()
            }
            return
        }
        // One after the other and not each within the one before: a chain of models may be longer than the stack.
        attach(model, storage)
        var attached = [storage]
        var index = 0
        while index < attached.count {
            for related in attached[index].allDetachedModels {
                let storage = related.model.storage
                guard storage.object == nil else { continue }
                attach(related.model, storage)
                attached.append(storage)
            }
            index += 1
        }
        for storage in attached { storage.attachRelationships() }
        scheduleSave()
    }

    private func attach(_ model: any PersistentModel, _ storage: ModelStorage) {
        guard let entity = coordinator.managedObjectModel.entitiesByName[storage.shape.entityName] else {
            fatalError("The container's schema has no \(storage.type): name it where the container is made")
        }
        let object = ModelObject(entity: entity, insertInto: managed)
        object.model = model
        storage.attach(object, in: self)
    }

    /// Deletes a model with the next save. Of a model that is in no context nothing happens.
    public final func delete<T: PersistentModel>(_ model: T) { use.during("delete") { deleteAny(model) } }

    private func deleteAny(_ model: any PersistentModel) {
        let storage = model.storage
        guard let object = storage.object else { return }
        guard storage.context === self else { fatalError("\(storage.type) is in another context: delete it there") }
        let isNew = object.isInserted
        managed.delete(object)
        // New ones that go with it leave the context at once, as it did.
        if isNew { managed.processPendingChanges() } else { scheduleSave() }
    }

    /// Drops all changes since the last save. Inserted models leave the context, deleted ones come back.
    public final func rollback() {
        let inserted = captureInserted(managed.insertedList.compactMap { $0 as? ModelObject }, \.isInserted)
        let changed = ObservedValues(managed.updatedList.lazy.compactMap { $0 as? ModelObject })
        let relationships = ReadRelationships(of: self)
        setDeletions = []
        managed.rollback()
        managed.undoManager?.removeAllActions()
        pendingBatches.removeAll()
        saveCount += 1
        for model in inserted { model.storage.detach(isDeleted: false) }
        discardTemporaryIdentifiers()
        changed.notifyOfChanges()
        relationships.notifyOfChanges()
        mergeArrived()
    }

    /// Tells observers and the undo manager of what was changed.
    public final func processPendingChanges() { managed.processPendingChanges() }
}
#endif
