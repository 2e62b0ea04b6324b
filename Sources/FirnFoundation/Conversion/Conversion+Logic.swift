import Foundation

extension PredicateExpressions.Conjunction: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.compound(.and, lhs, rhs)
    }
}

extension PredicateExpressions.Disjunction: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.compound(.or, lhs, rhs)
    }
}

extension PredicateExpressions.Negation: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.compound(.not, wrapped)
    }
}

extension PredicateExpressions.Equal: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let left = constant(lhs, in: conversion), let right = constant(rhs, in: conversion) {
            return .predicate(NSPredicate(value: left == right))
        }
        return try conversion.equality(lhs, rhs, of: LHS.Output.self, isNegated: false)
    }
}

extension PredicateExpressions.NotEqual: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let left = constant(lhs, in: conversion), let right = constant(rhs, in: conversion) {
            return .predicate(NSPredicate(value: left != right))
        }
        return try conversion.equality(lhs, rhs, of: LHS.Output.self, isNegated: true)
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
        return try conversion.comparison(lhs, type, rhs)
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
