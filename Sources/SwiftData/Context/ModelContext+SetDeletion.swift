#if SwiftData
import Firn
import FirnModel
public import Foundation

/// Deletions of all models that meet a predicate.
///
/// A deletion waits for the save as a request. The save writes all of them as one change set, without making models.
/// It becomes deletions of single models if something asks for unsaved changes before, if other changes are saved
/// along, if there is an undo manager, or if models that it may reach are in use: all of a save is written, or nothing.
extension ModelContext {
    /// Deletes the models of a class that meet a predicate, or all, with the next save.
    ///
    /// Delete rules apply to all of them at once. If a relationship denies a deletion, or a mandatory one would become
    /// empty, the save throws `modelValidationFailure` and nothing is written. Throws `unsupportedPredicate` at once.
    /// - Complexity: no model is read, unless models in use or unsaved changes are concerned.
    /// https://developer.apple.com/documentation/swiftdata/modelcontext/delete(model:where:includesubclasses:)
    public final func delete<T: PersistentModel>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws {
        if let adapter = adapter(of: T.self) {
            return try deleteModels(FetchDescriptor<T>(predicate: predicate), includeSubclasses, in: adapter)
        }
        let request = try FetchTranslation(descriptor: FetchDescriptor<T>(predicate: predicate), context: self)
            .request(ModelObject.self)
        request.includesSubentities = includeSubclasses
        try deleteSet(request)
    }

    final func deleteAll(of type: any PersistentModel.Type) throws {
        try deleteSet(NSFetchRequest<ModelObject>(entityName: ModelShape.of(type).entityName))
    }

    private func deleteSet(_ request: NSFetchRequest<ModelObject>) throws {
        catchUp()
        // The undo manager takes back deletions of single models alone.
        guard !managed.hasChanges, container.adapters.isEmpty, observerCount == 0, managed.undoManager == nil,
            !mayReachModels(request)
        else { return try deleteObjects(request) }
        // Refuses what no store can answer, and notices that there is nothing to delete.
        let one = NSFetchRequest<NSManagedObjectID>(asking: request.settings)
        one.resultType = .managedObjectIDResultType
        one.fetchLimit = 1
        guard try !named({ try managed.fetch(one) }).isEmpty else { return }
        // What is inserted or changed until then is not meant.
        request.includesPendingChanges = false
        setDeletions.append(request)
        scheduleSave()
    }

    /// Whether somebody has a model that the request or a delete rule may reach: one that is deleted, or one that
    /// leads to it.
    private func mayReachModels(_ request: NSFetchRequest<ModelObject>) -> Bool {
        guard let entity = request.entityName.flatMap({ entitiesByName[$0] }) else { return true }
        var (deleted, reached): (Set<String>, Set<String>) = ([], [])
        func add(_ entity: NSEntityDescription) {
            guard let name = entity.name, deleted.insert(name).inserted else { return }
            entity.subentities.forEach(add)
            for relationship in entity.relationshipsByName.values {
                guard let other = relationship.destinationEntity else { continue }
                if relationship.deleteRule == .cascadeDeleteRule { add(other) }
                reached.formUnion(other.selfAndDescendants.compactMap(\.name))
            }
        }
        add(entity)
        reached.formUnion(deleted)
        return managed.registeredObjects.contains { object in
            (object as? ModelObject)?.hasModel == true && object.entity.name.map(reached.contains) == true
        }
    }

    /// Makes what waits to deletions of single models. A waiting request finds what is stored: nothing was unsaved
    /// when it was made.
    final func resolveSetDeletions() throws {
        let waiting = setDeletions
        setDeletions = []
        for index in waiting.indices {
            do { try deleteObjects(waiting[index]) } catch {
                setDeletions.insert(contentsOf: waiting[index...], at: 0)
                throw error
            }
        }
    }

    private func deleteObjects(_ request: NSFetchRequest<ModelObject>) throws {
        for object in try named({ try managed.fetch(request) }) { managed.delete(object) }
        managed.processPendingChanges()
        scheduleSave()
    }

    /// Writes what waits, if nothing else is to be saved and no model came into use. Gives the identifiers of the
    /// deleted models; nil if all has become deletions of single models.
    final func saveSetDeletions() throws -> [PersistentIdentifier]? {
        guard !setDeletions.isEmpty else { return nil }
        guard !managed.hasChanges, container.coordinator.persistentStores.count == 1,
            !setDeletions.contains(where: mayReachModels)
        else {
            try resolveSetDeletions()
            return nil
        }
        let deleted = try managed.deleteObjects(of: setDeletions)
        setDeletions = []
        // What stays may have lost a relationship.
        managed.refreshAllObjects()
        return deleted.map { PersistentIdentifier($0) }
    }
}
#endif
