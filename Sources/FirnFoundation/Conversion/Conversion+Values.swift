import Foundation

/// A node whose value may be known without an object: a constant, a member of a constant collection, or a key path of
/// one of them.
protocol ConstantNode {
    associatedtype Output

    /// The value; nil if it depends on the object.
    func value(in conversion: PredicateConversion) -> Output?
}

/// The value of a node; nil if it depends on the object.
func constant<Node: PredicateExpression>(_ node: Node, in conversion: PredicateConversion) -> Node.Output? {
    guard let value = (node as? any ConstantNode)?.value(in: conversion) else { return nil }
    return value as? Node.Output
}

extension PredicateExpressions.Value: ConstantNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? { value }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(NSExpression(constantOfTree: value))
    }
}

extension PredicateExpressions.Variable: ConstantNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? {
        // Nothing would become an optional that is nil.
        guard let member = conversion.member(of: key) else { return nil }
        return member as? Output
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = value(in: conversion) { return .expression(NSExpression(constantOfTree: value)) }
        return .expression(try conversion.meaning(of: key))
    }
}

extension NSExpression {
    /// The value as predicates know it: a character is a text, the result of a comparison its number, a slice an array.
    convenience init(constantOfTree value: Any) {
        let plain = (value as? any AnyOptional).map(\.unwrapped) ?? value
        let constant: Any? =
            switch plain {
            case let character as Character: String(character)
            case let order as ComparisonResult: order.rawValue
            case let pattern as PredicateExpressions.PredicateRegex: pattern.stringRepresentation
            default: plain.flatMap { PredicateFront.constant(for: $0) ?? Self.array(of: $0) } ?? plain
            }
        self.init(forConstantValue: constant)
    }

    /// The members of a collection that is none of Foundation's kinds; nil for another value.
    private static func array(of value: Any) -> [Any]? {
        guard let collection = value as? any Collection, !(value is any StringProtocol), !(value is Data),
            !(value is any ValueRange), collectionMembers(of: value) == nil
        else { return nil }
        func members(_ collection: some Collection) -> [Any] { collection.map { $0 as Any } }
        return members(collection)
    }
}

extension PredicateExpressions.NilLiteral: ConstantNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? { .some(nil) }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        .expression(NSExpression(forConstantValue: nil))
    }
}

extension PredicateExpressions.KeyPath: ConstantNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? {
        constant(root, in: conversion).map { $0[keyPath: keyPath] }
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        if let value = value(in: conversion) { return .expression(NSExpression(constantOfTree: value)) }
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
            let value = (expression as? any ConstantNode)?.value(in: conversion)
                as? Expression<repeat (each Input).Output, Output>
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

extension PredicateConversion {
    /// The condition that two structures are equal that have a column for each part; nil for values of another type.
    mutating func wholes(_ left: Any, equal right: Any, of type: Any.Type) throws -> NSPredicate? {
        guard let parts = PredicateFront.parts(of: type) else { return nil }
        let sides = [try expression(left), try expression(right)]
        let values = sides.map { side -> [String: Any]? in
            guard case .constant(let value) = side.node else { return nil }
            guard let value, !(value is NSNull) else { return [:] }
            return PredicateFront.parts(of: value)
        }
        func part(_ name: String, _ side: Int) -> NSExpression {
            if let values = values[side] { return NSExpression(forConstantValue: values[name]) }
            return sides[side].member(name)
        }
        return NSCompoundPredicate(
            andPredicateWithSubpredicates: parts.map { part($0, 0).compared(.equalTo, part($0, 1)) })
    }
}
