import Foundation

extension PredicateExpressions.Variable: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(try conversion.meaning(of: key))
    }
}

extension PredicateExpressions.Value: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(NSExpression(forConstantValue: constant(for: value)))
    }

    /// The value as predicates know it: a character is a text, the result of a comparison its number.
    private func constant(for value: Any) -> Any? {
        let plain = (value as? any AnyOptional).map(\.unwrapped) ?? value
        return switch plain {
        case let character as Character: String(character)
        case let order as ComparisonResult: order.rawValue
        case let pattern as PredicateExpressions.PredicateRegex: pattern.stringRepresentation
        default: plain.flatMap(PredicateFront.constant) ?? plain
        }
    }
}

extension PredicateExpressions.NilLiteral: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(NSExpression(forConstantValue: nil))
    }
}

extension PredicateExpressions.KeyPath: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let object = try conversion.expression(root)
        guard let kind else {
            guard let name = keyValueCodingKeyPath(for: keyPath) else {
                throw PredicateConversionError(
                    "The key path \(keyPath) has no name in key-value coding; "
                        + "use a stored property, or let its class give the name."
                )
            }
            return .expression(name.isEmpty ? object : object.member(name))
        }
        let size = object.member(Root.Output.self is any StringProtocol.Type ? PredicateFront.sizeKeyOfTexts : "@count")
        let none = size.compared(.equalTo, NSExpression(forConstantValue: 0))
        switch kind {
        case .collectionCount: return .expression(size)
        case .collectionIsEmpty: return .predicate(none)
        case .collectionFirst, .bidirectionalCollectionLast:
            let index: NSExpression =
                kind == .collectionFirst
                ? NSExpression(forConstantValue: 0)
                : .call("from:subtract:", size, NSExpression(forConstantValue: 1))
            return .expression(
                NSExpression(
                    forConditional: none, trueExpression: NSExpression(forConstantValue: nil),
                    falseExpression: .call("objectFrom:withIndex:", object, index)))
        @unknown default:
            throw PredicateConversionError("\(keyPath) has no equal in the predicate language.")
        }
    }
}

extension PredicateExpressions.ExpressionEvaluate: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard
            let value = (expression as? any ConstantNode)?.value as? Expression<repeat (each Input).Output, Output>
        else {
            throw PredicateConversionError(
                "An expression that is evaluated must be a constant of the predicate.")
        }
        for (variable, argument) in repeat (each value.variable, each input) {
            conversion.bind(variable.key, to: try conversion.expression(argument))
        }
        return .expression(try conversion.expression(value.expression))
    }
}
