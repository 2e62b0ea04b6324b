/// Puts values in place of variables, throughout a predicate's tree.
///
/// Subtrees without these variables are shared with the old tree.
struct Substitution {
    let values: [String: Any]

    /// The predicate with the values; itself where nothing changes.
    func applied(to predicate: NSComparisonPredicate) -> NSComparisonPredicate {
        let left = applied(to: predicate.leftExpression)
        let right = applied(to: predicate.rightExpression)
        if left === predicate.leftExpression, right === predicate.rightExpression {
            return predicate
        }
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right,
            modifier: predicate.comparisonPredicateModifier,
            type: predicate.predicateOperatorType, options: predicate.options)
    }

    func applied(to predicate: NSCompoundPredicate) -> NSCompoundPredicate {
        let parts = predicate.parts.map { $0.withSubstitutionVariables(values) }
        if zip(parts, predicate.parts).allSatisfy({ $0 === $1 }) { return predicate }
        return NSCompoundPredicate(type: predicate.compoundPredicateType, subpredicates: parts)
    }

    func applied(to expression: NSExpression) -> NSExpression {
        guard let node = node(for: expression.node) else { return expression }
        return NSExpression.of(node)
    }

    /// The changed node; nil where nothing changes.
    private func node(for node: NSExpression.Node) -> NSExpression.Node? {
        switch node {
        case .constant, .evaluatedObject, .anyKey, .keyPath(_, nil): return nil
        case .variable(let name):
            guard let value = values[name] else { return nil }
            return (value as? NSExpression)?.node ?? .constant(valueWithoutOptionals(value))
        case .subquery, .conditional: return nested(node)
        case .keyPath, .computedKeyPath, .function, .method, .set, .aggregate, .block, .fetch:
            return changed(node.children).map { node.replacing(children: $0) }
        }
    }

    /// Nodes that hold predicates. A subquery's variable hides an outer one of the same name.
    private func nested(_ node: NSExpression.Node) -> NSExpression.Node? {
        switch node {
        case .subquery(let collection, let variable, let predicate):
            let inner = values.filter { $0.key != variable }
            let newPredicate = predicate.withSubstitutionVariables(inner)
            let newCollection = applied(to: collection)
            if newPredicate === predicate, newCollection === collection { return nil }
            return .subquery(newCollection, variable: variable, predicate: newPredicate)
        case .conditional(let predicate, let first, let second):
            let newPredicate = predicate.withSubstitutionVariables(values)
            let branches = [applied(to: first), applied(to: second)]
            if newPredicate === predicate, branches[0] === first, branches[1] === second {
                return nil
            }
            return .conditional(newPredicate, branches[0], branches[1])
        default: return nil
        }
    }

    /// The expressions with the values; nil where none changes.
    private func changed(_ expressions: [NSExpression]) -> [NSExpression]? {
        let new = expressions.map(applied)
        return zip(new, expressions).allSatisfy { $0 === $1 } ? nil : new
    }
}

extension NSPredicate {
    /// `changed` as the class at hand. A subclass of a comparison or a compound must override it.
    func substituted<Class: NSPredicate>(_ changed: NSPredicate, as type: Class.Type) -> Class {
        guard let result = changed as? Class else {
            misuse("\(type) must override withSubstitutionVariables(_:) to make one of its kind")
        }
        return result
    }
}
