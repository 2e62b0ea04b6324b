internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import class FirnFoundation.NSPredicate
internal import FirnModel

/// Writes `a == 1 OR a == 2 OR …` as `a IN {1, 2, …}`, with one parameter for a list of any length. For single terms
/// SQLite's time grows with the square of their count.
extension PredicateCompiler {
    /// The values that one key path may be equal to.
    struct EqualityList {
        let path: NSExpression
        let first: NSComparisonPredicate
        var values: [Any?]
    }

    /// Below this count SQLite finds the terms as fast as a list.
    private static let listedCountMin = 64

    /// The equalities of the same key path with constants, if there are many of them, and all other parts.
    static func equalities(_ parts: [NSPredicate]) -> (lists: [EqualityList], others: [NSPredicate]) {
        guard parts.count >= listedCountMin else { return ([], parts) }
        var lists: [String: EqualityList] = [:]
        for part in parts {
            guard let (name, path, comparison, value) = equality(part) else { continue }
            lists[name, default: EqualityList(path: path, first: comparison, values: [])].values.append(value)
        }
        lists = lists.filter { $0.value.values.count >= listedCountMin }
        if lists.isEmpty { return ([], parts) }
        let others = parts.filter { part in equality(part).map { lists[$0.name] == nil } ?? true }
        return (lists.sorted { $0.key < $1.key }.map(\.value), others)
    }

    private static func equality(
        _ predicate: NSPredicate
    ) -> (name: String, path: NSExpression, comparison: NSComparisonPredicate, value: Any?)? {
        guard let comparison = predicate.exactComparison,
            comparison.predicateOperatorType == .equalTo, comparison.comparisonPredicateModifier == .direct,
            comparison.options == []
        else { return nil }
        let (left, right) = (comparison.leftExpression, comparison.rightExpression)
        switch (left.node, right.node) {
        case (.keyPath(let path, nil), .constant(let value)): return (path.string, left, comparison, value)
        case (.constant(let value), .keyPath(let path, nil)): return (path.string, right, comparison, value)
        case (.evaluatedObject, .constant(let value)): return ("SELF", left, comparison, value)
        case (.constant(let value), .evaluatedObject): return ("SELF", right, comparison, value)
        default: return nil
        }
    }

    /// The condition that a key path has one of the values.
    func isOneOf(_ list: EqualityList, _ node: Node, _ isNegated: Bool) throws -> String {
        let sql = try isMember(operand(list.path, node), of: list.values, Test(list.first))
        return isNegated && nullRule == .memory ? "((\(sql)) IS TRUE)" : "(\(sql))"
    }
}
