import FirnFoundation
import class FirnFoundation.NSPredicate
import FirnLog
import FirnModel
import FirnProjection
import FirnStore
import Foundation

/// The part that the three batch requests share: the stores they go to, the change set they write, and the
/// notifications.
struct BatchOperation {
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator

    /// A store that a batch writes to.
    struct Target {
        let store: NSPersistentStore
        let engine: StoreEngine
    }

    func insert(_ request: NSBatchInsertRequest) throws -> NSBatchInsertResult {
        let entity = try entity(request.entity, named: request.entityName)
        if request.entity == nil { request.resolve(entity) }
        guard !entity.isAbstract else {
            throw failure("\(entity.name ?? "?") is an abstract entity: insert objects of one of its subentities")
        }
        let targets = try targets(of: request, entity).filter { $0.engine.schema.stores(entity) }
        guard let target = targets.first else {
            throw failure(
                "no writable store of the coordinator has the entity \(entity.name ?? "?") in its configuration")
        }
        var insertion = try BatchInsertion(target, entity: entity, policy: context.mergePolicy)
        try insertion.fill(from: request)
        let written = try write(target, insertion)
        switch request.resultType {
        case .statusOnly: return NSBatchInsertResult(NSNumber(value: true), .statusOnly)
        case .count: return NSBatchInsertResult(NSNumber(value: written.keys.count), .count)
        case .objectIDs: return NSBatchInsertResult(ids(written, target), .objectIDs)
        }
    }

    func update(_ request: NSBatchUpdateRequest) throws -> NSBatchUpdateResult {
        let entity = try entity(request.knownEntity, named: request.entityName)
        if request.knownEntity == nil { request.resolve(entity) }
        var ids: [NSManagedObjectID] = []
        var count = 0
        for target in try targets(of: request, entity) {
            let update = try BatchUpdate(target, request, entity)
            let written = try write(target, update)
            count += written.keys.count
            if request.resultType == .updatedObjectIDsResultType { ids += self.ids(written, target) }
        }
        switch request.resultType {
        case .statusOnlyResultType: return NSBatchUpdateResult(NSNumber(value: true), request.resultType)
        case .updatedObjectsCountResultType: return NSBatchUpdateResult(NSNumber(value: count), request.resultType)
        case .updatedObjectIDsResultType: return NSBatchUpdateResult(ids, request.resultType)
        }
    }

    func delete(_ request: NSBatchDeleteRequest) throws -> NSBatchDeleteResult {
        let fetch = request.fetchRequest
        var ids: [NSManagedObjectID] = []
        var count = 0
        if !request.isOfNoObjects {
            let question = try context.storeRequest(fetch)
            let targets = try self.targets(of: request, question.entity)
            let settings = try targets.count > 1 && question.hasWindow ? window(question, targets) : question.settings
            for target in targets {
                let deletion = BatchDeletion(target, [settings])
                let written = try write(target, deletion)
                count += written.keys.count
                if request.resultType == .resultTypeObjectIDs { ids += self.ids(written, target) }
            }
        }
        switch request.resultType {
        case .resultTypeStatusOnly: return NSBatchDeleteResult(NSNumber(value: true), request.resultType)
        case .resultTypeCount: return NSBatchDeleteResult(NSNumber(value: count), request.resultType)
        case .resultTypeObjectIDs: return NSBatchDeleteResult(ids, request.resultType)
        }
    }

    /// The request for those objects of several stores that are within the limit and offset.
    private func window(_ question: StoreRequest, _ targets: [Target]) throws -> FetchSettings {
        var settings = question.settings
        (settings.resultType, settings.includesPendingChanges) = (.managedObjectIDResultType, false)
        let asked = StoreRequest(settings: settings, entity: question.entity, affectedStores: targets.map(\.store))
        let ids = try ObjectFetch(context, asked).identities()
        settings.predicate = NSPredicate(format: "SELF IN %@", ids as NSArray)
        (settings.fetchLimit, settings.fetchOffset) = (0, 0)
        return settings
    }

    /// Writes one change set; on an error nothing of it is written. Row cache and followers hear of it.
    func write(_ target: Target, _ batch: any ChangeComputation) throws -> PreparedTransaction {
        let engine = target.engine
        do {
            return try StoreOperation.run(.save) { outcome in
                let prepared = try engine.prepare(
                    Transaction(context.transactionHeader(engine), model: engine.modelSequence, batch))
                if let sequence = try commit(prepared, engine) {
                    (outcome.record, outcome.changeSize) = (sequence.rawValue, prepared.size)
                    coordinator.batchDidWrite(prepared.changes, at: sequence, in: target.store)
                }
                return prepared
            }
        } catch let error as UnsupportedPredicate {
            throw CoreDataError.make(.persistentStoreOperation, error.description, underlying: error)
        } catch {
            throw StoreError.saving(error, path: target.store.placeName)
        }
    }

    /// The record of the change set; nil if there was nothing to write.
    private func commit(_ prepared: PreparedTransaction, _ engine: StoreEngine) throws -> SequenceNumber? {
        while true {
            do {
                if case .committed(let sequence) = try engine.commit(prepared) { return sequence }
                return nil
            } catch let error as LogError where error.code == .outcomeUnknown {
                switch engine.resolve(error) {
                case .made(let sequence): return sequence
                case .neverMade: continue
                case .unknown: throw error
                }
            }
        }
    }

    func ids(_ made: PreparedTransaction, _ target: Target) -> [NSManagedObjectID] {
        made.keys.compactMap { target.store.objectID(for: $0) }
    }

    private func entity(_ known: NSEntityDescription?, named name: String) throws -> NSEntityDescription {
        let model = coordinator.managedObjectModel
        if let entity = model.entitiesByName[known?.name ?? name] { return entity }
        throw failure(
            "the request's entity \"\(known?.name ?? name)\" is not in the model: name one of "
                + model.entities.compactMap(\.name).sorted().joined(separator: ", "))
    }

    func targets(of request: NSPersistentStoreRequest, _ entity: NSEntityDescription) throws -> [Target] {
        try (request.affectedStores ?? coordinator.persistentStores).compactMap { store in
            guard store.schema?.contains(entity) ?? false else { return nil }
            guard store.loggedStore != nil else {
                if coordinator.persistentStores.count > 1, request.affectedStores == nil { return nil }
                throw CoreDataError.make(
                    .persistentStoreUnsupportedRequestType,
                    "the store \(store.url?.absoluteString ?? "?") of the type \(store.type) takes no batch requests: "
                        + "fetch its objects, change them and save",
                    [NSAffectedStoresErrorKey: [store]])
            }
            guard !store.isReadOnly, let engine = store.tables?.engine else {
                if coordinator.persistentStores.count > 1, request.affectedStores == nil { return nil }
                throw failure(
                    "the store \(store.placeName) is read only: open it for writing to change it")
            }
            return Target(store: store, engine: engine)
        }
    }

    private func failure(_ message: String) -> NSError { CoreDataError.make(.persistentStoreOperation, message) }
}

extension NSPersistentStoreCoordinator {
    /// A batch request wrote: contexts that follow by themselves merge it, the executing one among them, and
    /// observers of saves and of remote changes are notified.
    func batchDidWrite(_ changeSet: ChangeSet, at sequence: SequenceNumber, in store: NSPersistentStore) {
        postRemoteChange(sequence, in: store)
        saveObserver?.didSave(nil) { RemoteChange(changeSet, store: store) }
        let roots = followers.filter { $0.parent == nil }
        if roots.isEmpty { return }
        let change = RemoteChange(changeSet, store: store)
        for follower in roots { follower.mergeLater(change) }
    }
}

// The batch requests, as what a context executes.

extension NSBatchInsertRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).insert(self)
    }
}

extension NSBatchUpdateRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).update(self)
    }
}

extension NSBatchDeleteRequest: ContextRequest {
    func execute(
        in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStoreResult {
        try BatchOperation(context: context, coordinator: coordinator).delete(self)
    }
}
