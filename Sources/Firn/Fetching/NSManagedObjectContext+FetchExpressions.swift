import FirnStore
import FirnFoundation
import FirnModel
import Foundation

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

extension FetchSettings {
    /// False for a question in which there is certainly no request.
    var mayHoldFetches: Bool {
        propertiesToFetch != nil || havingPredicate != nil || predicate?.mayHoldFetches ?? false
    }

    /// The same question with what the requests within its predicates and columns find in their place, which a store
    /// can compare with.
    func resolvingFetches() throws -> FetchSettings {
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
