import Foundation

extension NSExpression.Node {
    /// The expressions directly below, in the order of their writing.
    package var children: [NSExpression] {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: []
        case .keyPath(_, let operand): operand.map { [$0] } ?? []
        case .function(_, let arguments), .block(_, let arguments), .aggregate(let arguments):
            arguments
        case .method(_, let operand, let arguments): [operand] + arguments
        case .computedKeyPath(let path, let operand): [operand, path]
        case .set(_, let left, let right): [left, right]
        case .subquery(let collection, _, _): [collection]
        case .conditional(_, let first, let second): [first, second]
        case .fetch(let request, let context, _): [request, context]
        }
    }

    /// Returns the expression with other children, as many in the same order, and with another predicate if it has one.
    package func replacing(children: [NSExpression], predicate: NSPredicate? = nil) -> Self {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: self
        case .keyPath(let path, let operand): operand == nil ? self : children[0].appending(key: path.string)
        case .function(let function, _): .function(function, children)
        case .block(let block, _): .block(block, arguments: children)
        case .aggregate: .aggregate(children)
        case .method(let name, _, _): .method(name, operand: children[0], Array(children.dropFirst()))
        case .computedKeyPath: Self.computedKeyPath(children[1], of: children[0])
        case .set(let operation, _, _): .set(operation, children[0], children[1])
        case .subquery(_, let variable, let old):
            .subquery(children[0], variable: variable, predicate: predicate ?? old)
        case .conditional(let old, _, _): .conditional(predicate ?? old, children[0], children[1])
        case .fetch(_, _, let countsOnly):
            .fetch(request: children[0], context: children[1], countsOnly: countsOnly)
        }
    }

    /// A key path of a path that a constant names, if it does.
    private static func computedKeyPath(_ path: NSExpression, of operand: NSExpression) -> Self {
        if case .constant(let key as String) = path.node { return operand.appending(key: key) }
        return .computedKeyPath(path, operand: operand)
    }

    /// The predicate directly below, of a subquery or a conditional.
    package var predicate: NSPredicate? {
        switch self {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): predicate
        default: nil
        }
    }

    /// The height of the tree: 0 for a leaf.
    var height: Int {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: 0
        default:
            1 + max(children.lazy.map(\.height).max() ?? 0, predicate?.height ?? 0)
        }
    }
}

extension NSExpression {
    /// The expression with others in place of the expressions and the predicate directly below; itself where none is
    /// another one.
    func replacingParts(
        _ predicate: (NSPredicate) throws -> NSPredicate, _ expression: (NSExpression) throws -> NSExpression
    ) rethrows -> NSExpression {
        let old = node.children
        let children = try old.map(expression)
        let condition = try node.predicate.map(predicate)
        if condition === node.predicate, zip(children, old).allSatisfy({ $0 === $1 }) { return self }
        return .of(node.replacing(children: children, predicate: condition))
    }
}

extension NSPredicate {
    /// The predicate with others in place of the predicates and expressions directly below; itself where none is
    /// another one.
    func replacingParts(
        _ predicate: (NSPredicate) throws -> NSPredicate, _ expression: (NSExpression) throws -> NSExpression
    ) rethrows -> NSPredicate {
        if let compound = self as? NSCompoundPredicate {
            let parts = try compound.parts.map(predicate)
            if zip(parts, compound.parts).allSatisfy({ $0 === $1 }) { return self }
            return NSCompoundPredicate(type: compound.compoundPredicateType, subpredicates: parts)
        }
        guard let comparison = self as? NSComparisonPredicate else { return self }
        let (left, right) = (try expression(comparison.leftExpression), try expression(comparison.rightExpression))
        if left === comparison.leftExpression, right === comparison.rightExpression { return self }
        if let selector = comparison.customSelector {
            return NSComparisonPredicate(leftExpression: left, rightExpression: right, customSelector: selector)
        }
        return NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: comparison.comparisonPredicateModifier,
            type: comparison.predicateOperatorType, options: comparison.options)
    }
}

/// The maximum nesting of predicates, in levels. Every walk over a predicate recurses, and SQLite limits expressions to
/// 1,000 levels.
package enum PredicateDepth {
    package static let max = 800

    package static func message(_ depth: Int) -> String {
        "the predicate is nested \(depth) levels deep, and at most \(max) can be evaluated: join its parts in one "
            + "NSCompoundPredicate of many subpredicates"
    }
}

extension NSPredicate {
    /// Whether walking along the predicate would need too much stack.
    package var isTooDeep: Bool { height > PredicateDepth.max }

    /// Throws `ExpressionError` for a predicate that is nested too deep.
    package func checkDepth() throws {
        if isTooDeep { throw ExpressionError(PredicateDepth.message(height)) }
    }
}
