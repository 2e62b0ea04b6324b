#if SwiftData
import Dispatch
import Firn
import FirnFoundation
import FirnModel
import Foundation

extension ModelContext {
    /// The models that a descriptor describes.
    public final func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
        let request = try request(for: descriptor, ModelObject.self)
        // Objects get the rows that were read. Where that is a part of each row, they stay faults for the rest.
        request.returnsObjectsAsFaults = !descriptor.propertiesToFetch.isEmpty
        return try use.during("fetch") { models(of: try asking(descriptor) { try answered(request) }) }
    }

    final func objects<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [ModelObject] {
        let request = try request(for: descriptor, ModelObject.self)
        return try asking(descriptor) { try answered(request) }
    }

    /// Throws if batches would have to show unsaved changes.
    private func refuseBatches<T: PersistentModel>(of descriptor: FetchDescriptor<T>, areSorted: Bool = false) throws {
        guard descriptor.includePendingChanges, hasChanges else { return }
        if areSorted, !descriptor.sortBy.isEmpty {
            throw SwiftDataError.sortingPendingChangesWithIdentifiers.because(
                "the store sorts the identifiers of saved models: save first, or set includePendingChanges to false")
        }
        throw SwiftDataError.includePendingChangesWithBatchSize.because(
            "save first, or set includePendingChanges to false")
    }

    /// How many models a descriptor describes.
    public final func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
        let request = try request(for: descriptor, ModelObject.self)
        return try use.during("fetchCount") {
            catchUp()
            if request.includesPendingChanges, !setDeletions.isEmpty { try resolveSetDeletions() }
            return try asking(descriptor) { try named { try managed.count(for: request) } }
        }
    }

    /// The models that a descriptor describes, made when they are asked for.
    public final func fetch<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> {
        try refuseBatches(of: descriptor)
        let request = try request(for: descriptor, ModelObject.self)
        request.fetchBatchSize = batchSize
        let objects = try asking(descriptor) { try answered(request) }
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
        try objects(descriptor).map { object in
            object.objectID.isTemporaryID ? model(of: object).persistentModelID : PersistentIdentifier(object.objectID)
        }
    }

    /// The identifiers of the models that a descriptor describes, made when they are asked for.
    public final func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        try refuseBatches(of: descriptor, areSorted: true)
        let request = try request(for: descriptor, NSManagedObjectID.self)
        request.resultType = .managedObjectIDResultType
        catchUp()
        let ids = try asking(descriptor) { try named { try managed.fetch(request) } }
        return FetchResultsCollection(count: ids.count) { PersistentIdentifier(ids[$0]) }
    }

    final func answered(_ request: NSFetchRequest<ModelObject>) throws -> [ModelObject] {
        catchUp()
        if request.includesPendingChanges, !setDeletions.isEmpty { try resolveSetDeletions() }
        return try named { try managed.fetch(request) }
    }

    /// Runs a fetch and names its error: a store refuses a predicate or an order that it cannot answer.
    final func named<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SwiftDataError {
            throw error
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            guard cause?.domain.hasSuffix(".UnsupportedPredicate") == true else { throw error }
            throw SwiftDataError.unsupportedPredicate.because((error as NSError).localizedDescription, error)
        }
    }

    /// The model of an identifier; nil if it is in no store. Ours, not Apple's: `model(for:)` gives one in any case.
    public final func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        catchUp()
        if !setDeletions.isEmpty { try? resolveSetDeletions() }
        guard let object = object(for: identifier) else { return nil }
        if object.isInserted { return model(of: object) }
        guard !object.isDeleted, (try? managed.existingObject(with: object.objectID)) != nil else { return nil }
        return model(of: object)
    }
}

extension ModelContainer {
    /// The identifiers of the models that a descriptor describes, read on another thread. Ours, not Apple's.
    ///
    /// It finds saved models. Throws as `ModelContext.fetch(_:)`.
    public final func identifiers<T: PersistentModel>(
        matching descriptor: FetchDescriptor<T>
    ) async throws -> [PersistentIdentifier] {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let objects = try ModelContext(self).objects(descriptor)
                        return objects.map { PersistentIdentifier($0.objectID) }
                    })
            }
        }
    }
}

extension ModelContext {
    /// The models that a descriptor describes: another thread asks the store and reads the rows. Ours, not Apple's.
    ///
    /// The caller's actor is free meanwhile. With unsaved changes that count, the caller's thread compares them.
    nonisolated(nonsending) public final func models<T: PersistentModel>(
        matching descriptor: FetchDescriptor<T>
    ) async throws -> [T] {
        let identifiers = try await container.identifiers(matching: descriptor)
        // The rows are in the container's row cache now.
        if descriptor.includePendingChanges, hasChanges { return try fetch(descriptor) }
        return identifiers.compactMap { object(for: $0).map(model(of:)) as? T }
    }
}

extension ModelContext {
    /// Calls a block with each model that a descriptor describes, unsaved ones among them, and keeps the values of one
    /// batch at a time.
    ///
    /// Throws `modelValidationFailure` if the block leaves unsaved changes, unless `allowEscapingMutations`.
    /// - Complexity: one statement for the identifiers of all, and one for each batch.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext
    public final func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (_ model: T) throws -> Void
    ) throws {
        let hadChanges = hasChanges
        let size = max(batchSize, 1)
        let request = try request(for: fetch, ModelObject.self)
        request.fetchBatchSize = size
        let objects = try asking(fetch) { try answered(request) }
        for start in stride(from: 0, to: objects.count, by: size) {
            let batch = objects[start..<min(start + size, objects.count)]
            for object in batch where object.managedObjectContext != nil && !object.isDeleted {
                if let model = model(of: object) as? T { try block(model) }
            }
            if !allowEscapingMutations, !hadChanges, hasChanges {
                throw SwiftDataError.modelValidationFailure.because(
                    "the block of enumerate changed models: save in it, or allow escaping mutations")
            }
            for object in batch where !object.hasModel && !object.hasChanges && !object.isFault {
                managed.refresh(object, mergeChanges: false)
            }
        }
    }
}
#endif
