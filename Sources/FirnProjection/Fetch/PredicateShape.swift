internal import FirnFoundation
internal import class FirnFoundation.NSExpression
internal import class FirnFoundation.NSPredicate
internal import FirnLog
internal import FirnModel

/// A predicate without its constants: comparisons of key paths with constants, joined by `AND`, `OR` and `NOT`. The SQL
/// of all predicates of one shape is the same, and their values are bound in the same places.
indirect enum PredicateShape: Sendable {
    case everything
    /// A key path, how it is compared, and the form in which the other side is bound.
    case comparison(NSExpression, NSComparisonPredicate.Operator, NSComparisonPredicate.Options, SQLType)
    case compound(NSCompoundPredicate.LogicalType, [PredicateShape])

    /// The shape of a predicate whose values were bound as `types`, in order. It removes its own types from the front.
    /// Nil for a predicate whose SQL depends on more.
    init?(_ predicate: NSPredicate?, types: inout ArraySlice<SQLType>) {
        guard let predicate else {
            self = .everything
            return
        }
        if let compound = predicate.exactCompound {
            var parts: [PredicateShape] = []
            for part in compound.parts {
                guard let shape = PredicateShape(part, types: &types) else { return nil }
                parts.append(shape)
            }
            self = .compound(compound.compoundPredicateType, parts)
            return
        }
        guard let comparison = predicate.exactComparison, Self.isPlain(comparison.predicateOperatorType),
            comparison.comparisonPredicateModifier == .direct,
            case .keyPath(_, nil) = comparison.leftExpression.node,
            case .constant = comparison.rightExpression.node, let type = types.popFirst(), type != .any,
            type != .entity, type != .blob
        else { return nil }
        self = .comparison(
            comparison.leftExpression, comparison.predicateOperatorType, comparison.options, type)
    }

    private static func isPlain(_ type: NSComparisonPredicate.Operator) -> Bool {
        switch type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo: true
        default: false
        }
    }

    /// Whether `predicate` is of this shape. Its values, as they are bound for the store, are appended.
    func matches(
        _ predicate: NSPredicate?, in store: StoreIdentity?, _ values: inout [FetchPlan.Binding]
    ) -> Bool {
        switch self {
        case .everything: return predicate == nil
        case .compound(let type, let shapes):
            guard let compound = predicate?.exactCompound, compound.compoundPredicateType == type,
                compound.parts.count == shapes.count
            else { return false }
            for (shape, part) in zip(shapes, compound.parts) where !shape.matches(part, in: store, &values) {
                return false
            }
            return true
        case .comparison(let path, let sign, let options, let type):
            guard let comparison = predicate?.exactComparison,
                comparison.predicateOperatorType == sign, comparison.options == options,
                comparison.comparisonPredicateModifier == .direct, Self.isSame(path, comparison.leftExpression),
                case .constant(let value?) = comparison.rightExpression.node
            else { return false }
            // Null, NaN, and constants that no value of the column can equal, have other SQL.
            let constant = ConstantValue(nonNull: value)
            guard !constant.isNaN, let stored = constant.stored(as: type, in: store), stored != .null else {
                return false
            }
            values.append(.value(stored))
            return true
        }
    }

    private static func isSame(_ path: NSExpression, _ other: NSExpression) -> Bool {
        if path === other { return true }
        guard case .keyPath(let first, nil) = path.node, case .keyPath(let second, nil) = other.node else {
            return false
        }
        return first.string == second.string
    }
}
