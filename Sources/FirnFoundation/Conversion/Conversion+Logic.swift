import Foundation

extension PredicateExpressions.Conjunction: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .predicate(
            NSCompoundPredicate(andPredicateWithSubpredicates: [
                try conversion.predicate(lhs), try conversion.predicate(rhs),
            ]))
    }
}

extension PredicateExpressions.Disjunction: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .predicate(
            NSCompoundPredicate(orPredicateWithSubpredicates: [
                try conversion.predicate(lhs), try conversion.predicate(rhs),
            ]))
    }
}

extension PredicateExpressions.Negation: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .predicate(
            NSCompoundPredicate(notPredicateWithSubpredicate: try conversion.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let whole = try conversion.wholes(lhs, equal: rhs, of: LHS.Output.self) {
            return .predicate(whole)
        }
        if let order = try conversion.textOrder(lhs, equals: rhs) { return .predicate(order) }
        return .predicate(
            try conversion.expression(lhs).compared(.equalTo, try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.NotEqual: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let whole = try conversion.wholes(lhs, equal: rhs, of: LHS.Output.self) {
            return .predicate(NSCompoundPredicate(notPredicateWithSubpredicate: whole))
        }
        if let order = try conversion.textOrder(lhs, equals: rhs) {
            return .predicate(NSCompoundPredicate(notPredicateWithSubpredicate: order))
        }
        return .predicate(
            try conversion.expression(lhs).compared(.notEqualTo, try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.Comparison: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let type: NSComparisonPredicate.Operator =
            switch op {
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqualTo
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqualTo
            @unknown default:
                throw PredicateConversionError(
                    "The comparison \(op) has no equal in the predicate language.")
            }
        return .predicate(
            try conversion.expression(lhs).compared(type, try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.Conditional: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            NSExpression(
                forConditional: try conversion.predicate(test),
                trueExpression: try conversion.expression(trueBranch),
                falseExpression: try conversion.expression(falseBranch)))
    }
}
