import Foundation

/// Applies a comparison's operator to two values.
///
/// nil is equal to nil only, also by `<=` and `>=`, and IN a collection that holds null. All else is false but `!=`.
struct ComparisonEvaluation {
    let type: NSComparisonPredicate.Operator
    let options: ComparisonOptions

    /// A side's value, also in the form that is compared, which `PreparedComparison` computes once for a constant.
    struct Side {
        let value: Any?
        let plain: PlainValue

        init(_ value: Any?) {
            self.value = value
            plain = PlainValue(value)
        }

        var isNull: Bool {
            if case .null = plain { return true }
            return false
        }
    }

    func holds(_ left: Any?, _ right: Any?) throws -> Bool { try holds(Side(left), Side(right)) }

    func holds(_ left: Side, _ right: Side) throws -> Bool {
        switch type {
        case .equalTo: return equal(left, right)
        case .notEqualTo: return !equal(left, right)
        case .lessThan: return try order(left, right) == .orderedAscending
        case .greaterThan: return try order(left, right) == .orderedDescending
        case .lessThanOrEqualTo:
            return try isNullPair(left, right) || isInOrder(left, right, .orderedAscending)
        case .greaterThanOrEqualTo:
            return try isNullPair(left, right) || isInOrder(left, right, .orderedDescending)
        case .between: return try isBetween(left, right)
        case .in: return try isMember(left, of: right)
        case .contains: return try isMember(right, of: left)
        case .beginsWith, .endsWith, .like, .matches, .tokenMatches: return try compareStrings(left, right)
        case .customSelector:
            throw ExpressionError("a comparison by a selector needs the Objective-C runtime")
        }
    }

    private func equal(_ left: Side, _ right: Side) -> Bool {
        if !options.isEmpty, case .string(let left) = left.plain,
            case .string(let right) = right.plain
        {
            return StringComparison.equal(left, right, options: options)
        }
        return ValueComparison.plainEqual(left.plain, right.plain)
    }

    private func isNullPair(_ left: Side, _ right: Side) -> Bool { left.isNull && right.isNull }

    private func isInOrder(
        _ left: Side, _ right: Side, _ direction: ComparisonResult
    ) throws -> Bool {
        let result = try order(left, right)
        return result == direction || result == .orderedSame
    }

    /// The order of two values; nil where either is nil or NaN. Values of different kinds throw.
    private func order(_ left: Side, _ right: Side) throws -> ComparisonResult? {
        switch (left.plain, right.plain) {
        case (.null, _), (_, .null): return nil
        case (.string(let left), .string(let right)):
            return StringComparison.compare(left, right, options: options)
        case (.number(let left), .number(let right)): return left.compare(right)
        default:
            guard let result = ValueComparison.plainCompare(left.plain, right.plain) else {
                throw ExpressionError(
                    "\(LiteralText.describe(left.value)) and \(LiteralText.describe(right.value)) have no order")
            }
            return result
        }
    }

    private func isBetween(_ left: Side, _ right: Side) throws -> Bool {
        if let bounds = collectionMembers(of: right.value) {
            guard bounds.count == 2 else {
                throw ExpressionError("BETWEEN needs two bounds, not \(bounds.count)")
            }
            return try isInOrder(Side(bounds[0]), left, .orderedAscending)
                && isInOrder(left, Side(bounds[1]), .orderedAscending)
        }
        guard let range = right.value as? any ValueRange else {
            throw ExpressionError("BETWEEN needs two bounds, not \(LiteralText.describe(right.value))")
        }
        return range.includes(left.value)
    }

    private func isMember(_ member: Side, of collection: Side) throws -> Bool {
        switch collection.plain {
        case .null: return false
        case .string(let text):
            switch member.plain {
            case .string(let part): return StringComparison.contains(text, part, options: options)
            case .null: return false
            default: throw ExpressionError("\(LiteralText.describe(member.value)) cannot be part of a string")
            }
        default: break
        }
        return try containsMember(collection.value, member.value) { equal(member, Side($0)) }
    }

    private func compareStrings(_ left: Side, _ right: Side) throws -> Bool {
        guard case .string(let text) = left.plain, case .string(let pattern) = right.plain else {
            if left.isNull || right.isNull { return false }
            throw ExpressionError(
                "\(type) compares strings, not \(LiteralText.describe(left.value)) and "
                    + LiteralText.describe(right.value))
        }
        switch type {
        case .beginsWith: return StringComparison.hasPrefix(text, pattern, options: options)
        case .endsWith: return StringComparison.hasSuffix(text, pattern, options: options)
        case .like: return StringComparison.isLike(text, pattern, options: options)
        case .tokenMatches: return TokenSearch(pattern, options).isFound(in: text)
        default: return try StringComparison.matches(text, pattern, options: options)
        }
    }
}
