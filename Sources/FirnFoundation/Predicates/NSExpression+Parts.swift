extension NSExpression {
    /// The kind of expression.
    public var expressionType: ExpressionType {
        switch node {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function, .method, .computedKeyPath: .function
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .fetch: .fetch
        case .block: .block
        case .conditional: .conditional
        }
    }

    /// The value of a constant.
    public var constantValue: Any! {
        guard case .constant(let value) = node else { missing("constantValue") }
        return value
    }

    /// The key path of a key path expression.
    public var keyPath: String {
        guard case .keyPath(let path, _) = node else { missing("keyPath") }
        return path.string
    }

    /// The name of a function: `sum:`; of a key path, `valueForKeyPath:`.
    public var function: String {
        switch node {
        case .function(let function, _): return function.rawValue
        case .method(let name, _, _): return name
        case .keyPath, .computedKeyPath: return "valueForKeyPath:"
        default: missing("function")
        }
    }

    /// The name of a variable, or of a subquery's, without its `$`.
    public var variable: String {
        switch node {
        case .variable(let name), .subquery(_, let name, _): return name
        default: missing("variable")
        }
    }

    /// The expression that a method is called on, or that a key path starts from.
    public var operand: NSExpression {
        switch node {
        case .function: return NSExpression(forConstantValue: "_NSPredicateUtilities")
        case .method(_, let operand, _), .computedKeyPath(_, let operand): return operand
        case .keyPath(_, let operand):
            return operand ?? NSExpression.expressionForEvaluatedObject()
        default: missing("operand")
        }
    }

    /// The arguments of a function or a block.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(_, let arguments), .method(_, _, let arguments),
            .block(_, let arguments):
            return arguments
        case .computedKeyPath(let path, _): return [path]
        case .keyPath(let path, _): return [NSExpression(forConstantValue: path.string)]
        default: missing("arguments")
        }
    }

    /// The expressions of an aggregate (`[NSExpression]`), or the collection of a subquery (`NSExpression`).
    public var collection: Any {
        switch node {
        case .aggregate(let members): return members
        case .subquery(let collection, _, _): return collection
        case .constant(let value?): return value
        default: missing("collection")
        }
    }

    /// The predicate of a subquery or of a conditional.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: missing("predicate")
        }
    }

    /// The left collection of a set expression.
    public var left: NSExpression {
        guard case .set(_, let left, _) = node else { missing("left") }
        return left
    }

    /// The right collection of a set expression.
    public var right: NSExpression {
        guard case .set(_, _, let right) = node else { missing("right") }
        return right
    }

    /// The expression of a conditional for where its predicate holds.
    public var `true`: NSExpression {
        guard case .conditional(_, let expression, _) = node else { missing("true") }
        return expression
    }

    /// The expression of a conditional for where its predicate does not hold.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let expression) = node else { missing("false") }
        return expression
    }

    /// The closure of a block expression.
    public var expressionBlock: Block {
        guard case .block(let block, _) = node else { missing("expressionBlock") }
        return block
    }

    private func missing(_ accessor: String) -> Never {
        fatalError(
            "an expression of type \(expressionType) has no \(accessor); ask its expressionType first")
    }
}
