#if SwiftData
import Firn
import FirnFoundation
import FirnModel
public import Foundation

extension ModelContext {
    /// The models that a descriptor describes.
    public final func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        let request = try FetchTranslation(descriptor: descriptor, context: self).request(ModelObject.self)
        request.returnsObjectsAsFaults = false
        return models(of: try answered(request))
    }

    /// Throws if batches would have to show unsaved changes.
    private func refuseBatches<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws {
        guard descriptor.includePendingChanges, hasChanges else { return }
        throw SwiftDataError.includePendingChangesWithBatchSize.because(
            "save first, or set includePendingChanges to false")
    }

    /// How many models a descriptor describes.
    public final func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
        let request = try FetchTranslation(descriptor: descriptor, context: self).request(ModelObject.self)
        mergeArrived()
        return try named { try managed.count(for: request) }
    }

    /// The models that a descriptor describes, made when they are asked for.
    public final func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> {
        try refuseBatches(of: descriptor)
        let request = try FetchTranslation(descriptor: descriptor, context: self).request(ModelObject.self)
        request.fetchBatchSize = batchSize
        let objects = try answered(request)
        return FetchResultsCollection(count: objects.count) { index in
            guard let model = self.model(of: objects[index]) as? T else {
                fatalError("\(objects[index].entity.name ?? "?") is no \(T.self)")
            }
            return model
        }
    }

    /// The identifiers of the models that a descriptor describes.
    public final func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>
    ) throws -> [PersistentIdentifier] {
        let request = try FetchTranslation(descriptor: descriptor, context: self).request(ModelObject.self)
        return try answered(request).map { object in
            object.objectID.isTemporaryID ? model(of: object).persistentModelID : PersistentIdentifier(object.objectID)
        }
    }

    /// The identifiers of the models that a descriptor describes, made when they are asked for.
    public final func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        try refuseBatches(of: descriptor)
        let request = try FetchTranslation(descriptor: descriptor, context: self).request(NSManagedObjectID.self)
        request.resultType = .managedObjectIDResultType
        mergeArrived()
        let ids = try named { try managed.fetch(request) }
        return FetchResultsCollection(count: ids.count) { PersistentIdentifier(ids[$0]) }
    }

    /// Calls a block with each model that a descriptor describes, and lets go of the models batch by batch.
    ///
    /// Throws if the block leaves unsaved changes, unless `allowEscapingMutations`.
    public final func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (_ model: T) throws -> Void
    ) throws {
        let hadChanges = hasChanges
        let identifiers = try fetchIdentifiers(fetch)
        var start = 0
        while start < identifiers.count {
            let end = min(start + max(batchSize, 1), identifiers.count)
            // One fetch a batch: the objects are known by their identifiers, and read together.
            let objects = identifiers[start..<end].compactMap(object(for:))
            for object in objects {
                if let model = model(of: object) as? T { try block(model) }
            }
            if !allowEscapingMutations, !hadChanges, hasChanges {
                throw SwiftDataError.modelValidationFailure.because(
                    "the block of enumerate changed models: save in it, or allow escaping mutations")
            }
            start = end
        }
    }

    /// Deletes the models of a class that meet a predicate, or all, with the next save. Delete rules apply.
    public final func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        let request = try FetchTranslation(descriptor: FetchDescriptor<T>(predicate: predicate), context: self)
            .request(ModelObject.self)
        request.includesSubentities = includeSubclasses
        try deleteAnswered(request)
    }

    final func deleteAll(of type: any PersistentModel.Type) throws {
        try deleteAnswered(NSFetchRequest<ModelObject>(entityName: ModelShape.of(type).entityName))
    }

    private func deleteAnswered(_ request: NSFetchRequest<ModelObject>) throws {
        for object in try answered(request) {
            object.model?.storage.captureValues()
            managed.delete(object)
        }
        managed.processPendingChanges()
        scheduleSave()
    }

    private func answered(_ request: NSFetchRequest<ModelObject>) throws -> [ModelObject] {
        mergeArrived()
        return try named { try managed.fetch(request) }
    }

    /// What a store refuses is a predicate or an order that it cannot answer.
    private func named<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SwiftDataError {
            throw error
        } catch {
            guard "\(error)".contains("SQL") || "\(error)".contains("predicate") else { throw error }
            throw SwiftDataError.unsupportedPredicate.because("\(error)", error)
        }
    }

    /// The model of an identifier; nil if it is in no store. Ours, not Apple's: `model(for:)` gives one in any case.
    public final func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        mergeArrived()
        guard let object = object(for: identifier) else { return nil }
        if object.isInserted { return model(of: object) }
        guard !object.isDeleted, (try? managed.existingObject(with: object.objectID)) != nil else { return nil }
        return model(of: object)
    }
}
#endif
