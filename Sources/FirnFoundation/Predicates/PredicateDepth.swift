import Foundation

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
