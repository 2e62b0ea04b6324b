import FirnFoundation
public import FirnModel
import FirnRuntime
public import FirnStore
import Foundation

/// Fetching: what the store has, with this context's unsaved changes laid over it.
extension NSManagedObjectContext {
    /// The objects that meet the request.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506672-fetch
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] where T: NSFetchRequestResult {
        checkQueue()
        // What is of the type that was asked for needs no cast of each.
        switch request.settings.resultType {
        case .managedObjectResultType where T.self is NSManagedObject.Type:
            let objects = try observed(request) { try ObjectFetch(self, storeRequest(request)).run() }
            return objects.all(as: T.self) ?? typed(objects)
        case .managedObjectIDResultType where T.self == NSManagedObjectID.self:
            return try observed(request) { try ObjectFetch(self, storeRequest(request)).identities() }
                .all(as: T.self) ?? []
        case .dictionaryResultType where T.self == NSDictionary.self:
            return try observed(request) { try ObjectFetch(self, storeRequest(request)).dictionaries() }
                .all(as: T.self) ?? []
        default: return try typed(observed(request) { try results(request) })
        }
    }

    /// The objects, IDs, dictionaries or counts that a request finds. Its type may be any.
    @_disfavoredOverload
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        try typed(observed(request) { try results(request) })
    }

    private func observed<T>(_ request: UntypedFetchRequest, _ fetch: () throws -> [T]) throws -> [T] {
        try StoreOperation.run(.fetch(entity: request.settings.entityName)) { outcome in
            let found = try fetch()
            outcome.resultCount = found.count
            return found
        }
    }

    /// How many objects the request would find.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int where T: NSFetchRequestResult {
        try count(request as UntypedFetchRequest)
    }

    /// How many objects the request would find.
    @_disfavoredOverload
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int { try count(request as UntypedFetchRequest) }

    /// How many objects the request would find. A generic function that makes the request makes one of this type, as
    /// `any NSFetchRequestResult` does not conform to itself.
    @_disfavoredOverload
    public func count(for request: NSFetchRequest<NSManagedObject>) throws -> Int {
        try count(request as UntypedFetchRequest)
    }

    /// Calls `body` with a request's rows in the store. A request without an entity is for that of `objectClass`.
    @usableFromInline
    package func readRows(
        _ request: UntypedFetchRequest, of objectClass: NSManagedObject.Type, _ columns: ColumnList,
        _ body: (RowValueCursor) throws -> Void
    ) throws {
        checkQueue()
        let asked = request.withResultType(NSDictionary.self)
        if asked.entityName == nil { asked.entity = objectClass.knownEntity(in: self) }
        try columns.apply(to: &asked.settings)
        let stored = try storeRequest(asked)
        try columns.check(stored.entity)
        try StoreOperation.run(.fetch(entity: stored.entity.name)) { _ in
            try ObjectFetch(self, stored).readRows(columns, body)
        }
    }

    func typed<T>(_ results: [Any], as type: T.Type = T.self) -> [T] {
        results.map { result in
            guard let result = result as? T else {
                fatalError(
                    "the request gives \(Swift.type(of: result)), not \(T.self): let its resultType fit its type, "
                        + "and the model name a class of the program")
            }
            return result
        }
    }

    func results(_ request: UntypedFetchRequest) throws -> [Any] {
        checkQueue()
        switch request.settings.resultType {
        case .countResultType: return [NSNumber(value: try count(request))]
        case .dictionaryResultType: return try ObjectFetch(self, storeRequest(request)).dictionaries()
        default:
            let fetch = try ObjectFetch(self, storeRequest(request))
            return request.settings.resultType == .managedObjectIDResultType ? try fetch.identities() : try fetch.run()
        }
    }

    /// The results of a fetch of objects or IDs, from the store's answer.
    func results(_ fetch: ObjectFetch, _ matches: [FetchBatch]) throws -> [Any] {
        if fetch.request.settings.resultType == .managedObjectIDResultType { return try fetch.identities(matches) }
        return try fetch.finish(matches)
    }

    func count(_ request: UntypedFetchRequest) throws -> Int {
        checkQueue()
        return try StoreOperation.run(.count(entity: request.settings.entityName)) { _ in
            let fetch = try ObjectFetch(self, storeRequest(request))
            return request.settings.resultType == .dictionaryResultType
                ? try fetch.dictionaries().count : try fetch.count()
        }
    }

    /// A request as it goes down to the stores. One that was made by name has its entity from now on.
    func storeRequest(_ request: UntypedFetchRequest) throws -> StoreRequest {
        // A save on the main thread may be older than the queue's turn that would merge it.
        if concurrencyType == .mainQueueConcurrencyType, !isSaving { mergeAwaited() }
        let entity = try entity(of: request)
        if request.settings.entity == nil { request.resolveEntity(entity) }
        let settings = request.settings
        let deepest = settings.predicate?.isTooDeep == true ? settings.predicate : settings.havingPredicate
        if let predicate = deepest, predicate.isTooDeep {
            throw CoreDataError.make(.persistentStoreOperation, PredicateDepth.message(predicate.height))
        }
        if settings.entity === entity, !settings.mayHoldFetches {
            return StoreRequest(settings: settings, entity: entity, affectedStores: request.affectedStores)
        }
        return try storeRequest(resolving: settings, entity, request.affectedStores)
    }

    private func storeRequest(
        resolving settings: FetchSettings, _ entity: NSEntityDescription, _ affectedStores: [NSPersistentStore]?
    ) throws -> StoreRequest {
        var settings = try settings.resolvingFetches()
        settings.entity = entity
        return StoreRequest(settings: settings, entity: entity, affectedStores: affectedStores)
    }

    /// The request's entity, looked up by name in this context's model.
    func entity(of request: UntypedFetchRequest) throws -> NSEntityDescription {
        let model = persistentStoreCoordinator?.managedObjectModel
        if let entity = request.settings.entity, let model, entity.isPart(of: model) { return entity }
        if let name = request.settings.entityName, let entity = model?.entitiesByName[name] {
            return entity
        }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "the request's entity \"\(request.settings.entityName ?? "nil")\" is not in the model: name one of "
                + (model?.entities.compactMap(\.name).sorted()
                    .joined(separator: ", ") ?? "the model's entities"))
    }

    func fetchedProperty(_ info: Slot, of object: NSManagedObject) -> [Any] {
        guard let property = info.property as? NSFetchedPropertyDescription,
            let template = property.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        else { return [] }
        template.predicate = template.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        do {
            return try results(template)
        } catch {
            fatalError(
                "cannot fetch the property \"\(info.name)\" of \(object.identity.uriRepresentation()): \(error)")
        }
    }
}

/// Fetch requests within expressions: `FETCH(request, context, countOnly)`.
extension NSManagedObjectContext: FetchAnswering {
    package func answer(fetch request: Any?, countsOnly: Bool, asIdentities: Bool) throws -> Any {
        guard let request = request as? UntypedFetchRequest else {
            throw ExpressionError("FETCH needs a fetch request, but was given \(request.map { "\($0)" } ?? "nil")")
        }
        let asked = request.withResultType((any NSFetchRequestResult).self)
        asked.fetchOffset = 0
        if asIdentities, asked.resultType == .managedObjectResultType { asked.resultType = .managedObjectIDResultType }
        return try performAndWait { () -> Any in
            if countsOnly { return NSNumber(value: try count(asked)) }
            let found = try results(asked)
            return asked.resultType == .countResultType ? found[0] : found
        }
    }
}

extension NSBatchDeleteRequest {
    /// Deletes what the request would fetch. A generic function that makes the request makes one of this type, as
    /// `any NSFetchRequestResult` does not conform to itself.
    @_disfavoredOverload
    public convenience init(fetchRequest fetch: NSFetchRequest<NSManagedObject>) {
        self.init(fetchRequest: fetch.withResultType((any NSFetchRequestResult).self))
    }
}
