import Foundation

extension PredicateExpressions.SequenceContains: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .predicate(
            try conversion.expression(sequence).compared(
                .contains, try conversion.expression(element)))
    }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let tests = try conversion.tests(of: sequence, variable: variable.key, test: test) {
            return .predicate(NSCompoundPredicate(orPredicateWithSubpredicates: tests))
        }
        let found = try conversion.subquery(of: sequence, variable: variable.key, test: test)
        return .predicate(
            found.member("@count").compared(.notEqualTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let tests = try conversion.tests(of: sequence, variable: variable.key, test: test) {
            return .predicate(NSCompoundPredicate(andPredicateWithSubpredicates: tests))
        }
        let missed = try conversion.subquery(
            of: sequence, variable: variable.key, test: test, isNegated: true)
        return .predicate(
            missed.member("@count").compared(.equalTo, NSExpression(forConstantValue: 0)))
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
        guard Base.Output.self is any StringProtocol.Type else {
            throw PredicateConversion.refusal(of: self)
        }
        return .predicate(
            try conversion.expression(base).compared(.beginsWith, try conversion.expression(prefix))
        )
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard Base.Output.self is any StringProtocol.Type else {
            throw PredicateConversion.refusal(of: self)
        }
        return .predicate(
            try conversion.expression(base).compared(.contains, try conversion.expression(other)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call(
                "objectFrom:withIndex:", try conversion.expression(wrapped),
                try conversion.expression(index)))
    }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(
            .call(
                "objectFrom:withIndex:", try conversion.expression(wrapped),
                try conversion.expression(key)))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let value: NSExpression = .call(
            "objectFrom:withIndex:", try conversion.expression(wrapped),
            try conversion.expression(key))
        return .expression(
            NSExpression(
                forConditional: value.compared(.notEqualTo, NSExpression(forConstantValue: nil)),
                trueExpression: value, falseExpression: try conversion.expression(self.default)))
    }
}
