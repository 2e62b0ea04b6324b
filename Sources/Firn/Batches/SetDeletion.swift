import FirnModel
import FirnStore

extension NSManagedObjectContext {
    /// Deletes what several requests find, in one change set, without making objects. Delete rules apply as in
    /// `NSBatchDeleteRequest`; where one refuses, nothing is written.
    ///
    /// Gives the IDs of all objects that are deleted, by rules as well.
    /// - Complexity: the rows that are deleted are read once for the log, those that lose a relationship too.
    package func deleteObjects(of requests: [UntypedFetchRequest]) throws -> [NSManagedObjectID] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        return try BatchOperation(context: self, coordinator: coordinator).delete(requests)
    }
}

extension BatchOperation {
    fileprivate func delete(_ requests: [UntypedFetchRequest]) throws -> [NSManagedObjectID] {
        var targets: [Target] = []
        var questions: [ObjectIdentifier: [FetchSettings]] = [:]
        for request in requests {
            let question = try context.storeRequest(request)
            for target in try self.targets(of: request, question.entity) {
                if questions[ObjectIdentifier(target.store)] == nil { targets.append(target) }
                questions[ObjectIdentifier(target.store), default: []].append(question.settings)
            }
        }
        return try targets.flatMap { target in
            let deletion = BatchDeletion(target, questions[ObjectIdentifier(target.store)] ?? [])
            return ids(try write(target, deletion), target)
        }
    }
}
