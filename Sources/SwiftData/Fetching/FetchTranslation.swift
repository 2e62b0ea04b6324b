#if SwiftData
import Firn
import FirnFoundation
import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor
import FirnModel
import FirnRuntime
import Foundation

/// A fetch descriptor as a request of Core Data's.
struct FetchTranslation<T: PersistentModel> {
    let descriptor: FetchDescriptor<T>
    let context: any ObjectIDSource

    func request<Result: NSFetchRequestResult>(_ type: Result.Type = Result.self) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: ModelShape.of(T.self).entityName)
        request.predicate = try descriptor.predicate.map(predicate)
        request.sortDescriptors = try descriptor.sortBy.map(sortDescriptor)
        if let limit = descriptor.fetchLimit { request.fetchLimit = limit }
        if let offset = descriptor.fetchOffset { request.fetchOffset = offset }
        request.includesPendingChanges = descriptor.includePendingChanges
        request.relationshipKeyPathsForPrefetching = try descriptor.relationshipKeyPathsForPrefetching.map(name)
        return request
    }

    private func predicate(_ predicate: Predicate<T>) throws -> NSPredicate {
        ModelNames.use()
        let converted: NSPredicate
        do {
            converted = try ConstantTranslation.$objectIDs.withValue(Transferred(context)) {
                try NSPredicate(converting: predicate)
            }
        } catch {
            throw SwiftDataError.unsupportedPredicate.because("\(error)", error)
        }
        try PredicateCheck(shape: ModelShape.of(T.self)).check(converted)
        return converted
    }

    private func name(_ keyPath: PartialKeyPath<T>) throws -> String {
        guard let name = ModelNames.shared.keyValueCodingKeyPath(for: keyPath), !name.isEmpty else {
            throw SwiftDataError.unsupportedKeyPath.because("\(keyPath) leads to no saved property")
        }
        return name
    }

    private func sortDescriptor(_ sort: SortDescriptor<T>) throws -> NSSortDescriptor {
        guard let keyPath = sort.keyPath, let name = ModelNames.shared.keyValueCodingKeyPath(for: keyPath) else {
            throw SwiftDataError.unsupportedSortDescriptor.because(
                "\(sort.keyPath.map { "\($0)" } ?? "a comparator") is nothing that a store knows")
        }
        return NSSortDescriptor(key: name.isEmpty ? "self" : name, ascending: sort.order == .forward)
    }
}
#endif
