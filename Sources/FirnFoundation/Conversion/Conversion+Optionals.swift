import Foundation

/// A value that is only there under conditions: `a?.b?.c`.
struct OptionalChain {
    /// The conditions for the value to be there.
    var guards: [Guard] = []
    /// The value under the guards.
    var value: ConvertedNode
    /// The start of a further step of the chain, where it is not the value: an object as one of a subclass.
    var start: NSExpression?

    enum Guard {
        /// A value is not nil.
        case present(NSExpression, Any.Type)
        case condition(NSPredicate)
    }

    /// The value, or nil where a guard does not hold.
    func expression() -> NSExpression {
        let value = value.expression
        let needed = guards.filter { !Self.isImplied($0, by: value) }.map(Self.condition)
        guard !needed.isEmpty else { return value }
        return NSExpression(
            forConditional: needed.count == 1 ? needed[0] : NSCompoundPredicate(andPredicateWithSubpredicates: needed),
            trueExpression: value, falseExpression: NSExpression(forConstantValue: nil))
    }

    private static func condition(_ guarded: Guard) -> NSPredicate {
        switch guarded {
        case .condition(let predicate): return predicate
        case .present(let expression, let type):
            guard let parts = PredicateFront.parts(of: type) else { return expression.isPresent }
            // A structure with a column for each part is there if a part is.
            return NSCompoundPredicate(orPredicateWithSubpredicates: parts.map { expression.member($0).isPresent })
        }
    }

    /// Whether the value is nil by itself where the guard does not hold: a key path through nil is nil, but the count
    /// of no collection is 0.
    private static func isImplied(_ guarded: Guard, by value: NSExpression) -> Bool {
        guard case .present(let expression, _) = guarded, case .keyPath(let path, let operand) = value.node,
            !path.string.contains("@")
        else { return false }
        guard case .keyPath(let start, let startOperand) = expression.node else {
            return operand.map { $0 === expression } ?? false
        }
        let isSameOperand = operand === startOperand || operand?.isEqual(startOperand) == true
        return isSameOperand && (path.string + ".").hasPrefix(start.string + ".")
    }
}

/// A node whose value may be missing because a step before it is.
protocol OptionalChainNode {
    func chain(_ conversion: inout PredicateConversion) throws -> OptionalChain
}

extension PredicateConversion {
    mutating func chain(_ node: Any) throws -> OptionalChain {
        if let chained = node as? any OptionalChainNode { return try chained.chain(&self) }
        return OptionalChain(value: try convert(node))
    }
}

extension PredicateExpressions.OptionalFlatMap: ConstantNode, OptionalChainNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? {
        guard let wrapped = constant(wrapped, in: conversion) else { return nil }
        guard let value = wrapped else { return .some(nil) }
        var inner = conversion
        inner.bind(variable.key, toMember: value)
        return constant(transform, in: inner).flatMap { $0 as? Output }
    }

    func chain(_ conversion: inout PredicateConversion) throws -> OptionalChain {
        if let constant = constant(wrapped, in: conversion) {
            guard let value = constant else {
                return OptionalChain(value: .expression(NSExpression(forConstantValue: nil)))
            }
            conversion.bind(variable.key, toMember: value)
            return try conversion.chain(transform)
        }
        var chain = try conversion.chain(wrapped)
        let object: NSExpression
        if let start = chain.start {
            object = start
        } else {
            object = chain.value.expression
            // A relationship to many is a set, however empty.
            let isCollection = Wrapped.self is any Collection.Type && !(Wrapped.self is any StringProtocol.Type)
            if !isCollection { chain.guards.append(.present(object, Wrapped.self)) }
        }
        conversion.bind(variable.key, to: object)
        let next = try conversion.chain(transform)
        return OptionalChain(guards: chain.guards + next.guards, value: next.value, start: next.start)
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let chain = try chain(&conversion)
        return chain.guards.isEmpty ? chain.value : .expression(chain.expression())
    }
}

extension PredicateExpressions.ForcedUnwrap: ConstantNode, OptionalChainNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? { constant(inner, in: conversion).flatMap { $0 } }

    func chain(_ conversion: inout PredicateConversion) throws -> OptionalChain { try conversion.chain(inner) }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let chain = try conversion.chain(inner)
        return .expression(chain.start ?? chain.expression())
    }
}

extension PredicateExpressions.NilCoalesce: ConstantNode, ConvertiblePredicateNode {
    func value(in conversion: PredicateConversion) -> Output? {
        constant(lhs, in: conversion).flatMap { $0 ?? constant(rhs, in: conversion) }
    }

    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let value = try conversion.convert(lhs)
        if case .predicate = value { return value }
        if value.isNil { return try conversion.convert(rhs) }
        return .expression(value.expression.replacingNil(by: try conversion.expression(rhs)))
    }
}
