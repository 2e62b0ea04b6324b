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
        // As Swift compares: nil is a value that differs from all others.
        request.nullRule = .memory
        request.includesPendingChanges = descriptor.includePendingChanges
        if !descriptor.propertiesToFetch.isEmpty {
            var columns: [String] = []
            for keyPath in descriptor.propertiesToFetch { columns += self.columns(of: try name(keyPath)) }
            request.propertiesToFetch = columns
        }
        request.relationshipKeyPathsForPrefetching = try descriptor.relationshipKeyPathsForPrefetching.map(name)
        return request
    }

    private func predicate(_ predicate: Predicate<T>) throws -> NSPredicate {
        ModelPredicateSource.use()
        return try ConstantTranslation.$objectIDs.withValue(Transferred(context)) {
            let converted: NSPredicate
            do {
                converted = try NSPredicate(converting: predicate)
            } catch {
                throw SwiftDataError.unsupportedPredicate.because("\(error)", error)
            }
            try PredicateCheck(shape: ModelShape.of(T.self)).check(converted)
            return converted
        }
    }

    /// Of a structure that has a column for each part, the columns.
    private func columns(of name: String) -> [String] {
        guard let property = ModelShape.of(T.self).property(named: name),
            let parts = ModelPredicateSource.shared.parts(of: property.valueType)
        else { return [name] }
        return parts.map { name + "." + $0 }
    }

    func name(_ keyPath: PartialKeyPath<T>) throws -> String {
        guard let name = ModelPredicateSource.shared.keyValueCodingKeyPath(for: keyPath), !name.isEmpty else {
            throw SwiftDataError.unsupportedKeyPath.because("\(keyPath) leads to no saved property")
        }
        return name
    }

    private func sortDescriptor(_ sort: SortDescriptor<T>) throws -> NSSortDescriptor {
        guard let keyPath = sort.keyPath,
            let name = ModelPredicateSource.shared.keyValueCodingKeyPath(for: keyPath)
        else {
            throw SwiftDataError.unsupportedSortDescriptor.because(
                "\(sort.keyPath.map { "\($0)" } ?? "a comparator") is nothing that a store knows")
        }
        if let property = ModelShape.of(T.self).property(named: name), case .attribute(let column) = property.kind,
            column?.isEncoded != false
        {
            throw SwiftDataError.unsupportedSortDescriptor.because("\(T.self).\(name) is stored as it encodes itself")
        }
        return NSSortDescriptor(
            key: name.isEmpty ? "self" : name, ascending: sort.order == .forward,
            selector: Selector(LocalizedTexts.selectorName(of: keyPath) ?? sort.selectorName))
    }
}
#endif
