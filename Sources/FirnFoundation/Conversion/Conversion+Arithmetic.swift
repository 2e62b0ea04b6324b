import Foundation

extension PredicateExpressions.Arithmetic: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let function =
            switch op {
            case .add: "add:to:"
            case .subtract: "from:subtract:"
            case .multiply: "multiply:by:"
            @unknown default:
                throw PredicateConversionError(
                    "The operator \(op) has no equal in the predicate language.")
            }
        return .expression(
            .call(function, try conversion.expression(lhs), try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.IntDivision: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call("divide:by:", try conversion.expression(lhs), try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call("divide:by:", try conversion.expression(lhs), try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call("modulus:by:", try conversion.expression(lhs), try conversion.expression(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call(
                "multiply:by:", try conversion.expression(wrapped),
                NSExpression(forConstantValue: -1)))
    }
}
