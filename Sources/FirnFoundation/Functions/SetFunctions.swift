import Foundation

/// `UNION`, `INTERSECT`, `MINUS` of collections of any kind; the result is a set.
enum SetFunctions {
    static func value(
        of operation: NSExpression.SetOperation, _ left: Any?, _ right: Any?
    ) throws -> NSSet {
        let result = NSMutableSet(array: try members(left, of: operation))
        let other = NSSet(array: try members(right, of: operation))
        switch operation {
        case .union: result.addObjects(from: other.allObjects)
        case .intersect:
            for member in result.allObjects where !other.contains(member) { result.remove(member) }
        case .minus: for member in other { result.remove(member) }
        }
        return result
    }

    private static func members(
        _ value: Any?, of operation: NSExpression.SetOperation
    ) throws -> [Any] {
        if ValueComparison.isNull(value) { return [] }
        guard let members = collectionMembers(of: value) else {
            throw ExpressionError(
                "\(operation.rawValue) needs collections, not \(ComparisonEvaluation.name(value))")
        }
        return members
    }
}
