import Foundation

extension PredicateExpressions.SequenceContains: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        // To a store, data are one value.
        if LHS.Output.self is Data.Type { throw PredicateConversion.refusal(of: self) }
        return try conversion.comparison(sequence, .contains, element)
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.quantified(sequence, variable.key, test, isAll: false)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.quantified(sequence, variable.key, test, isAll: true)
    }
}

extension PredicateExpressions.Filter: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(try conversion.subquery(of: sequence, variable: variable.key, test: filter))
    }
}

extension PredicateExpressions.SequenceMinimum: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(try conversion.expression(elements).member("@min.self"))
    }
}

extension PredicateExpressions.SequenceMaximum: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(try conversion.expression(elements).member("@max.self"))
    }
}

extension PredicateExpressions.SequenceStartsWith: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateConversion.refusal(of: self) }
        return try conversion.comparison(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard Base.Output.self is any StringProtocol.Type else { throw PredicateConversion.refusal(of: self) }
        return try conversion.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.call("objectFrom:withIndex:", wrapped, index)
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        try conversion.call("objectFrom:withIndex:", wrapped, key)
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let value = try conversion.call("objectFrom:withIndex:", wrapped, key).expression
        return .expression(value.replacingNil(by: try conversion.expression(self.default)))
    }
}
