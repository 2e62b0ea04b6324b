import FirnFoundation
package import FirnModel
import Foundation

// Fetch requests within a question: `FETCH(request, context, countOnly)`.
extension FetchSettings {
    /// False for a question in which there is certainly no request.
    package var mayHoldFetches: Bool {
        propertiesToFetch != nil || havingPredicate != nil || predicate?.mayHoldFetches ?? false
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
