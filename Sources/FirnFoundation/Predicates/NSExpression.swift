public import Foundation

/// One side of a comparison: a constant, a key path, a function of expressions …
///
/// `expressionType` tells which; each accessor is for the types that its comment names, and traps for others, as in
/// Foundation. Expressions do not change after they are made, and nobody may change a constant's value.
///
/// https://developer.apple.com/documentation/foundation/nsexpression
open class NSExpression: NSObject, NSCopying, NSSecureCoding, PredicateCluster, @unchecked Sendable {
    /// Kinds of expressions.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// The object itself, `SELF`.
        case evaluatedObject = 1
        /// A variable, `$name`.
        case variable = 2
        /// A key path.
        case keyPath = 3
        /// A function.
        case function = 4
        /// Members of either set.
        case unionSet = 5
        /// Members of both sets.
        case intersectSet = 6
        /// Members of the first set only.
        case minusSet = 7
        /// `SUBQUERY`.
        case subquery = 13
        /// A list, `{1, 2}`.
        case aggregate = 14
        /// Any key.
        case anyKey = 15
        /// A closure.
        case block = 19
        /// `TERNARY`.
        case conditional = 20
        /// The result of a fetch request: `NSFetchRequestExpressionType`.
        case fetch = 50
    }

    /// A closure's value: of the evaluated object, the arguments' values and the substitution variables.
    public typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

    /// The expression as a value, with what belongs to its type.
    package indirect enum Node {
        case constant(Any?)
        case evaluatedObject
        case variable(String)
        /// A key path from the evaluated object where `operand` is nil, else from the operand's value.
        case keyPath(KeyPathComponents, operand: NSExpression?)
        case function(PredicateFunction, [NSExpression])
        /// A method of the operand's value, by its selector's name: `FUNCTION(operand, "name:", argument)`.
        case method(String, operand: NSExpression, [NSExpression])
        /// A key path from the operand's value that is only known when it is evaluated: `operand.$name`.
        case computedKeyPath(NSExpression, operand: NSExpression)
        case set(SetOperation, NSExpression, NSExpression)
        case subquery(NSExpression, variable: String, predicate: NSPredicate)
        case aggregate([NSExpression])
        case anyKey
        case block(Block, arguments: [NSExpression])
        case conditional(NSPredicate, NSExpression, NSExpression)
        /// The result of a request, or its count. The first expression gives the request, the second the context.
        case fetch(request: NSExpression, context: NSExpression, countsOnly: Bool)
    }

    package let node: Node

    /// The height of the tree below: what recursion along it costs. A leaf has 0.
    package let height: Int

    /// An expression of the class that belongs to the node.
    package static func of(_ node: Node) -> NSExpression {
        if case .fetch = node { return NSFetchRequestExpression(node: node) }
        return NSExpression(node: node)
    }

    package init(node: Node) {
        self.node = node
        height = node.height
        super.init()
    }

    public class var supportsSecureCoding: Bool { true }

    /// The expression that was encoded; nil if the archive holds none.
    public required convenience init?(coder: NSCoder) {
        guard let expression = FormatCoding.expression(coder) else { return nil }
        self.init(decodedMember: expression)
    }

    /// Writes the expression's format. Traps on a block, and on constants that have no literal.
    open func encode(with coder: NSCoder) { FormatCoding.encode(self, with: coder) }

    /// The value of the expression for an object; `context` holds the substitution variables' values.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        var bindings: [String: Any] = [:]
        for (name, value) in context ?? [:] {
            if let name = name as? String { bindings[name] = value }
        }
        do {
            return try value(in: EvaluationScope(object: object, bindings: bindings))
        } catch {
            misuse("cannot evaluate \(self): \(error)")
        }
    }

    /// Nothing to do: only expressions that were securely decoded are locked on Apple's platforms.
    open func allowEvaluation() {}

    open override func copy() -> Any { copy(with: nil) }

    /// The expression itself, since it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The expression as a format string that parses back to an equal one.
    open override var description: String { FormatPrinter.string(self) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return other === self || node == other.node
    }

    open override var hash: Int { node.hashValue }
}
