import Foundation

// `is` and `as?` ask for the entity of an object. A front knows the entities of its classes.

extension PredicateConversion {
    /// The condition that an object is of a class.
    fileprivate mutating func isKind(_ input: Any, of type: Any.Type, _ node: Any) throws -> NSPredicate {
        let object = try expression(input)
        guard let entities = PredicateFront.entities(of: type) else { throw Self.refusal(of: node) }
        // A property may be named "entity", but none has a name with parentheses.
        let isOfEntity = object.member("entity()")
        return entities.count == 1
            ? isOfEntity.compared(.equalTo, NSExpression(forConstantValue: entities[0]))
            : isOfEntity.compared(.in, NSExpression(forConstantValue: entities))
    }

    /// The object, with the properties that its class adds.
    fileprivate mutating func object(_ input: Any, as type: Any.Type) throws -> NSExpression {
        .call(
            "castObject:toType:", try expression(input),
            NSExpression(forConstantValue: PredicateFront.entities(of: type)?.first))
    }
}

extension PredicateExpressions.TypeCheck: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .predicate(try conversion.isKind(input, of: Desired.self, self))
    }
}

extension PredicateExpressions.ConditionalCast: OptionalChainNode, ConvertiblePredicateNode {
    func chain(_ conversion: inout PredicateConversion) throws -> OptionalChain {
        let isKind = try conversion.isKind(input, of: Desired.self, self)
        return OptionalChain(
            guards: [.condition(isKind)], value: .expression(try conversion.expression(input)),
            start: try conversion.object(input, as: Desired.self))
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(try chain(&conversion).expression())
    }
}

extension PredicateExpressions.ForceCast: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        _ = try conversion.isKind(input, of: Desired.self, self)
        return .expression(try conversion.object(input, as: Desired.self))
    }
}
