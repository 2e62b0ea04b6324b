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
        }
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
