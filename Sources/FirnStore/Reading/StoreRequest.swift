import FirnFoundation
package import FirnModel
import Foundation

/// A fetch as it goes down to the stores. Immutable.
package final class StoreRequest {
    /// The settings of the fetch, whose entity is known and of the model of the coordinator.
    package let settings: FetchSettings
    package let entity: NSEntityDescription
    /// The stores to ask; nil for all that hold the entity.
    package let affectedStores: [AnyObject]?

    package init(settings: FetchSettings, entity: NSEntityDescription, affectedStores: [AnyObject]?) {
        self.settings = settings
        self.entity = entity
        self.affectedStores = affectedStores
    }

    /// Returns the request with changed settings.
    package func changed(_ change: (inout FetchSettings) -> Void) -> StoreRequest {
        var settings = settings
        change(&settings)
        return StoreRequest(settings: settings, entity: entity, affectedStores: affectedStores)
    }

    /// The request without limit and offset: a caller that adds unsaved changes to the answer applies them afterwards.
    package var withoutWindow: StoreRequest { changed { ($0.fetchLimit, $0.fetchOffset) = (0, 0) } }

    package var hasWindow: Bool { settings.fetchLimit > 0 || settings.fetchOffset > 0 }

    /// Whether values come with the identities. A fetch in batches reads them later.
    package var readsValues: Bool {
        settings.includesPropertyValues && settings.resultType == .managedObjectResultType
            && settings.fetchBatchSize <= 0
    }

    /// Whether only some properties of the objects are read.
    package var isPartial: Bool { readsValues && !(settings.propertiesToFetch ?? []).isEmpty }
}

extension FetchSettings {
    /// The part of a list that limit and offset leave.
    package func window<T>(_ list: [T]) -> [T] {
        let start = min(max(fetchOffset, 0), list.count)
        let end = fetchLimit > 0 ? start + min(fetchLimit, list.count - start) : list.count
        return start == 0 && end == list.count ? list : Array(list[start..<end])
    }
}

// Fetch requests within a question: `FETCH(request, context, countOnly)`.
extension FetchSettings {
    /// False for a question in which there is certainly no request.
    package var mayHoldFetches: Bool {
        havingPredicate != nil || predicate?.mayHoldFetches ?? false
            || propertiesToFetch?.contains { asText($0) == nil } ?? false
    }

    /// Replaces the requests within the question's predicates and columns by their results, which a store can compare
    /// with.
    package func resolvingFetches() throws -> FetchSettings {
        do {
            let (condition, groups) = (try predicate?.resolvingFetches(), try havingPredicate?.resolvingFetches())
            if condition === predicate, groups === havingPredicate, propertiesToFetch == nil { return self }
            var resolved = self
            resolved.predicate = condition
            resolved.havingPredicate = groups
            resolved.propertiesToFetch = try propertiesToFetch?.map { column in
                guard let computed = column as? NSExpressionDescription, let expression = computed.expression
                else { return column }
                let found = try expression.resolvingFetches()
                guard found !== expression, let copy = computed.copy() as? NSExpressionDescription
                else { return column }
                copy.expression = found
                return copy
            }
            return resolved
        } catch let error as ExpressionError {
            throw CoreDataError.make(.persistentStoreOperation, error.message, underlying: error)
        }
    }
}
