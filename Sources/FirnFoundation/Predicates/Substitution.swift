// Puts values in place of variables, throughout a predicate's tree. Subtrees without these variables are shared with
// the old tree.

extension NSPredicate {
    /// The predicate with values in place of variables, of the class that makes predicates of its kind.
    func substituting(_ values: [String: Any]) -> NSPredicate {
        if self is NSCompoundPredicate, isTooDeep { misuse(PredicateDepth.message(height)) }
        return replacingParts({ $0.withSubstitutionVariables(values) }, { $0.substituting(values) })
    }
}

extension NSExpression {
    fileprivate func substituting(_ values: [String: Any]) -> NSExpression {
        switch node {
        case .variable(let name):
            guard let value = values[name] else { return self }
            return value as? NSExpression ?? NSExpression(node: .constant(valueWithoutOptionals(value)))
        case .subquery(_, let variable, _):
            // A subquery's variable hides an outer one of the same name.
            let inner = values.filter { $0.key != variable }
            return replacingParts({ $0.withSubstitutionVariables(inner) }, { $0.substituting(values) })
        default: return replacingParts({ $0.withSubstitutionVariables(values) }, { $0.substituting(values) })
        }
    }
}
