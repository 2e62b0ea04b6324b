import FirnRuntime
import Synchronization

/// A comparison whose constant parts are computed once: the kinds of its constants, and for `IN` an index of a constant
/// collection.
struct PreparedComparison: Sendable {
    /// From this count of members on, a look-up in an index is faster than a search through the collection.
    static let indexedCountMin = 8

    private let left: NSExpression
    private let right: NSExpression
    private let modifier: NSComparisonPredicate.Modifier
    private let comparison: ComparisonEvaluation
    /// Shared between threads: as with Apple's predicates, nobody may change a constant's value.
    private let rightConstant: Transferred<ComparisonEvaluation.Side>?
    private let members: LazyMembership?

    init(
        _ left: NSExpression, _ right: NSExpression, modifier: NSComparisonPredicate.Modifier,
        type: NSComparisonPredicate.Operator, options: NSComparisonPredicate.Options
    ) {
        self.left = left
        self.right = right
        self.modifier = modifier
        comparison = ComparisonEvaluation(
            type: type, options: ComparisonOptions(rawValue: options.rawValue))
        guard case .constant(let value) = right.node else {
            rightConstant = nil
            members = nil
            return
        }
        rightConstant = Transferred(ComparisonEvaluation.Side(value))
        let isIndexed =
            type == .in && comparison.options.isDisjoint(with: .folding)
            && (collectionCount(of: value) ?? 0) >= Self.indexedCountMin
        members = isIndexed ? LazyMembership(of: right) : nil
    }

    /// Whether the comparison holds; nil if it is unknown by the rules of a store.
    func truth(in scope: EvaluationScope) throws -> Bool? {
        let value = try left.value(in: scope)
        let other = try rightConstant?.value ?? ComparisonEvaluation.Side(right.value(in: scope))
        if modifier == .direct { return try truth(value, other, scope.storeRules) }
        guard let value, !ValueComparison.isNull(value) else { return modifier == .all }
        guard let members = collectionMembers(of: value) else {
            throw ExpressionError("ANY and ALL need a collection, but \(left) is \(value)")
        }
        return modifier == .all
            ? try members.allSatisfy { try truth($0, other, scope.storeRules) ?? false }
            : try members.contains { try truth($0, other, scope.storeRules) ?? false }
    }

    private func truth(_ value: Any?, _ other: ComparisonEvaluation.Side, _ rules: StoreRules?) throws -> Bool? {
        let side = ComparisonEvaluation.Side(value)
        guard let rules else { return try members?.contains(side.plain) ?? comparison.holds(side, other) }
        if let answer = members?.contains(side.plain), answer || members?.mayConvert(to: side.plain) == false {
            return rules.nullIsUnknown && side.isNull && !answer ? nil : answer
        }
        return try StoredComparison(
            comparison: comparison, rules: rules, left: .init(left), right: .init(right)
        ).truth(side, other)
    }
}

/// The index of a constant collection. It is built by the first evaluation, because a store that uses SQL needs none.
final class LazyMembership: Sendable {
    /// A constant.
    private let collection: NSExpression
    /// The index is not changed after it is built.
    private let index = Mutex<MembershipIndex?>(nil)

    init(of collection: NSExpression) { self.collection = collection }

    /// Whether the value is a member; nil where only a search through the collection can decide.
    func contains(_ value: PlainValue) -> Bool? {
        index.withLock { index in
            Self.make(&index, collection)
            return index?.contains(value)
        }
    }

    /// Whether a member of another kind may be equal to the value once it is converted.
    func mayConvert(to value: PlainValue) -> Bool {
        index.withLock { index in
            Self.make(&index, collection)
            return index?.mayConvert(to: value) ?? true
        }
    }

    private static func make(_ index: inout MembershipIndex?, _ collection: NSExpression) {
        guard index == nil, case .constant(let value) = collection.node else { return }
        index = MembershipIndex(collectionMembers(of: value) ?? [])
    }
}
