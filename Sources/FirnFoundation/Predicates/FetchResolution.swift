import Foundation

/// Executes the fetch requests within predicates and expressions and replaces each by its result, so that a store can
/// compare with it.
///
/// Subtrees without a request are shared with the old tree.
extension NSPredicate {
    /// False where there is certainly no fetch request in the tree.
    package var mayHoldFetches: Bool {
        if let comparison = self as? NSComparisonPredicate {
            return comparison.leftExpression.mayHoldFetches || comparison.rightExpression.mayHoldFetches
        }
        return height > 0
    }

    /// - Throws: an error of the fetch, or `ExpressionError` for a request or a context that is none, or is a variable
    ///   without a value.
    package func resolvingFetches() throws -> NSPredicate {
        if !mayHoldFetches { return self }
        return try replacingParts({ try $0.resolvingFetches() }, { try $0.resolvingFetches() })
    }
}

extension NSExpression {
    /// False for an expression in which there is certainly no request: most are constants and key paths.
    fileprivate var mayHoldFetches: Bool {
        if height == 0 { return false }
        if case .keyPath(_, nil) = node { return false }
        return true
    }

    package func resolvingFetches() throws -> NSExpression {
        if case .fetch(let request, let context, let countsOnly) = node {
            let found = try Self.answer(request, context, countsOnly, EvaluationScope(object: nil), asIdentities: true)
            return NSExpression(forConstantValue: Self.columnValues(found))
        }
        if !mayHoldFetches { return self }
        return try replacingParts({ try $0.resolvingFetches() }, { try $0.resolvingFetches() })
    }

    /// Executes the request that is the value of `request` in the context that is the value of `context`.
    static func answer(
        _ request: NSExpression, _ context: NSExpression, _ countsOnly: Bool, _ scope: EvaluationScope,
        asIdentities: Bool
    ) throws -> Any {
        let executing = try context.value(in: scope)
        guard let executing = executing as? any FetchAnswering else {
            throw ExpressionError(
                "FETCH needs a managed object context, but \(context) is \(executing.map { "\($0)" } ?? "nil")")
        }
        return try executing.answer(
            fetch: try request.value(in: scope), countsOnly: countsOnly, asIdentities: asIdentities)
    }

    /// Dictionaries with one property as that property's values; anything else as it is.
    private static func columnValues(_ found: Any) -> Any {
        guard let rows = found as? [NSDictionary], let keys = rows.first?.allKeys, keys.count == 1 else { return found }
        return rows.compactMap { $0[keys[0]] }
    }
}
