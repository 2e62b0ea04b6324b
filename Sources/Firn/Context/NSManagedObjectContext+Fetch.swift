import class FirnFoundation.NSSortDescriptor
import FirnFoundation
public import FirnModel
import Foundation

/// Fetching: what the store has, with this context's unsaved changes laid over it.
extension NSManagedObjectContext {
    /// The objects that meet the request.
    /// https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/1506672-fetch
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] where T: NSFetchRequestResult {
        let results = try results(request as UntypedFetchRequest)
        return results.map { result in
            guard let result = result as? T else {
                preconditionFailure(
                    "the request gives \(type(of: result)), not \(T.self): let its resultType fit its type")
            }
            return result
        }
    }

    public func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        try results(request as UntypedFetchRequest)
    }

    /// How many objects the request would find.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int where T: NSFetchRequestResult {
        try count(request as UntypedFetchRequest)
    }

    private func results(_ request: UntypedFetchRequest) throws -> [Any] {
        switch request.resultType {
        case .countResultType: return [NSNumber(value: try count(request))]
        case .dictionaryResultType:
            return try requiredSource().dictionaries(storeRequest(request, ignoresWindow: false))
        case .managedObjectIDResultType: return try objects(request).map(\.objectID)
        default: return try objects(request)
        }
    }

    func count(_ request: UntypedFetchRequest) throws -> Int {
        guard let overlay = try overlay(request) else {
            return try requiredSource().count(storeRequest(request, ignoresWindow: false))
        }
        return try matches(request, overlay).count
    }

    private func objects(_ request: UntypedFetchRequest) throws -> [NSManagedObject] {
        let found: [NSManagedObject]
        if let overlay = try overlay(request) {
            found = try matches(request, overlay)
        } else {
            found = try requiredSource().fetchIDs(storeRequest(request, ignoresWindow: false)).map {
                object(with: $0)
            }
        }
        if request.shouldRefreshRefetchedObjects {
            for object in found where !object.isFault && !object.hasChanges { refresh(object, mergeChanges: true) }
        }
        if !request.returnsObjectsAsFaults {
            for object in found where object.isFault { object.fulfill(for: nil) }
        }
        return found
    }

    private func storeRequest(
        _ request: UntypedFetchRequest, ignoresWindow: Bool
    ) throws -> StoreRequest {
        let entity = try entity(of: request)
        return StoreRequest(request: request, entity: entity, ignoresWindow: ignoresWindow)
    }

    /// The request's entity, looked up by name in this context's model.
    func entity(of request: UntypedFetchRequest) throws -> NSEntityDescription {
        if let name = request.entityName ?? request.entity?.name,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
        {
            return entity
        }
        throw CoreDataError.make(
            .persistentStoreOperation,
            "the request's entity \"\(request.entityName ?? "nil")\" is not in the model: name one of "
                + (persistentStoreCoordinator?.managedObjectModel.entities.compactMap(\.name).sorted()
                    .joined(separator: ", ") ?? "the model's entities"))
    }

    private func requiredSource() throws -> any ObjectSource {
        guard let source else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "the context has neither a persistent store coordinator nor a parent: set one before fetching")
        }
        return source
    }

    /// The unsaved changes that could matter to a request; nil if there are none or the request ignores them.
    private func overlay(_ request: UntypedFetchRequest) throws -> Overlay? {
        guard request.includesPendingChanges, hasChanges, request.resultType != .dictionaryResultType
        else { return nil }
        let entity = try entity(of: request)
        let concerns: (NSManagedObject) -> Bool = { object in
            object.entity === entity
                || (request.includesSubentities && object.entity.isKindOf(entity: entity))
        }
        // A change of another entity can matter through a key path of the predicate or of a sort descriptor.
        let reachesFar = request.predicate != nil || !(request.sortDescriptors ?? []).isEmpty
        let overlay = Overlay(
            inserted: inserted.objects.filter(concerns), changed: updated.objects.filter(concerns),
            deleted: Set(deleted.objects.filter(concerns).map(ObjectReference.init)))
        return overlay.isEmpty && !reachesFar ? nil : overlay
    }

    private struct Overlay {
        let inserted: [NSManagedObject]
        let changed: [NSManagedObject]
        let deleted: Set<ObjectReference>

        var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }
    }

    /// The stored matches without what no longer matches, with what now does, sorted and cut here.
    private func matches(
        _ request: UntypedFetchRequest, _ overlay: Overlay
    ) throws -> [NSManagedObject] {
        let stored = try requiredSource().fetchIDs(storeRequest(request, ignoresWindow: true))
        let changed = Set(overlay.changed.map(ObjectReference.init))
        var found: [NSManagedObject] = []
        for id in stored {
            let object = object(with: id)
            let reference = ObjectReference(object)
            if overlay.deleted.contains(reference) || changed.contains(reference) { continue }
            if object.isDeleted { continue }
            found.append(object)
        }
        let storedCount = found.count
        for object in overlay.changed + overlay.inserted
        where request.predicate?.evaluate(with: object) ?? true {
            found.append(object)
        }
        if let sort = request.sortDescriptors, !sort.isEmpty, found.count > storedCount || hasChanges {
            found = sorted(found, by: sort)
        }
        let start = min(max(request.fetchOffset, 0), found.count)
        let end = request.fetchLimit > 0 ? min(start + request.fetchLimit, found.count) : found.count
        return Array(found[start..<end])
    }

    /// A stable sort, so that what sorts alike stays in the order of the store.
    private func sorted(_ objects: [NSManagedObject], by sort: [NSSortDescriptor]) -> [NSManagedObject] {
        objects.enumerated().sorted { lhs, rhs in
            for descriptor in sort {
                switch descriptor.compare(lhs.element, to: rhs.element) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return lhs.offset < rhs.offset
        }.map(\.element)
    }

    /// The objects of a fetched property.
    func fetchedProperty(_ info: Slot, of object: NSManagedObject) -> [Any] {
        guard let property = info.property as? NSFetchedPropertyDescription,
            let template = property.fetchRequest?.copy() as? UntypedFetchRequest
        else { return [] }
        template.predicate = template.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        return (try? results(template)) ?? []
    }
}
