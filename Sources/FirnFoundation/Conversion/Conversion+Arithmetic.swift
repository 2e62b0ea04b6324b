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
        return try conversion.call(function, lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.FloatDivision: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.call("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.call("modulus:by:", lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(.call("multiply:by:", try conversion.expression(wrapped), NSExpression(forConstantValue: -1)))
    }
}
