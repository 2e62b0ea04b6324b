import Foundation

/// What a comparison's operator says of two values.
///
/// nil is equal to nil only, and not less, greater, in or like anything.
struct ComparisonEvaluation {
    let type: NSComparisonPredicate.Operator
    let options: ComparisonOptions

    func holds(_ left: Any?, _ right: Any?) throws -> Bool {
        switch type {
        case .equalTo: return equal(left, right)
        case .notEqualTo: return !equal(left, right)
        case .lessThan: return try order(left, right) == .orderedAscending
        case .greaterThan: return try order(left, right) == .orderedDescending
        case .lessThanOrEqualTo:
            return try isNullPair(left, right) || isOrdered(left, right, .orderedAscending)
        case .greaterThanOrEqualTo:
            return try isNullPair(left, right) || isOrdered(left, right, .orderedDescending)
        case .between: return try isBetween(left, right)
        case .in: return try isMember(left, of: right)
        case .contains: return try isMember(right, of: left)
        case .beginsWith, .endsWith, .like, .matches: return try matches(left, right)
        case .customSelector:
            throw ExpressionError("a comparison by a selector needs the Objective-C runtime")
        }
    }

    private func equal(_ left: Any?, _ right: Any?) -> Bool {
        if options.isEmpty { return ValueComparison.equal(left, right) }
        if case .string(let left) = PlainValue(left), case .string(let right) = PlainValue(right) {
            return StringComparison.equal(left, right, options: options)
        }
        return ValueComparison.equal(left, right)
    }

    private func isNullPair(_ left: Any?, _ right: Any?) -> Bool {
        ValueComparison.isNull(left) && ValueComparison.isNull(right)
    }

    private func isOrdered(
        _ left: Any?, _ right: Any?, _ direction: ComparisonResult
    ) throws -> Bool {
        let result = try order(left, right)
        return result == direction || result == .orderedSame
    }

    /// The order of two values; nil where either is nil or no number. Values of different kinds throw.
    private func order(_ left: Any?, _ right: Any?) throws -> ComparisonResult? {
        switch (PlainValue(left), PlainValue(right)) {
        case (.null, _), (_, .null): return nil
        case (.string(let left), .string(let right)):
            return StringComparison.compare(left, right, options: options)
        case (.number(let left), .number(let right)): return left.compare(right)
        default:
            guard let result = ValueComparison.compare(left, right) else {
                throw ExpressionError(
                    "\(Self.name(left)) and \(Self.name(right)) have no order")
            }
            return result
        }
    }

    private func isBetween(_ left: Any?, _ right: Any?) throws -> Bool {
        if let range = right as? any ValueRange { return range.includes(left) }
        guard let bounds = collectionMembers(of: right), bounds.count == 2 else {
            throw ExpressionError("BETWEEN needs two bounds, not \(Self.name(right))")
        }
        return try isOrdered(bounds[0], left, .orderedAscending)
            && isOrdered(left, bounds[1], .orderedAscending)
    }

    private func isMember(_ member: Any?, of collection: Any?) throws -> Bool {
        if case .string(let text) = PlainValue(collection) {
            switch PlainValue(member) {
            case .string(let part): return StringComparison.contains(text, part, options: options)
            case .null: return false
            default: throw ExpressionError("\(Self.name(member)) cannot be part of a string")
            }
        }
        if ValueComparison.isNull(collection) { return false }
        if let range = collection as? any ValueRange { return range.includes(member) }
        guard let members = collectionMembers(of: collection) else {
            throw ExpressionError("\(Self.name(collection)) is neither a collection nor a string")
        }
        return members.contains { equal(member, $0) }
    }

    private func matches(_ left: Any?, _ right: Any?) throws -> Bool {
        let pair = (PlainValue(left), PlainValue(right))
        guard case (.string(let text), .string(let pattern)) = pair else {
            switch pair {
            case (.null, _), (_, .null): return false
            default:
                throw ExpressionError(
                    "\(type) compares strings, not \(Self.name(left)) and \(Self.name(right))")
            }
        }
        switch type {
        case .beginsWith: return StringComparison.hasPrefix(text, pattern, options: options)
        case .endsWith: return StringComparison.hasSuffix(text, pattern, options: options)
        case .like: return StringComparison.isLike(text, pattern, options: options)
        default: return try StringComparison.matches(text, pattern, options: options)
        }
    }

    static func name(_ value: Any?) -> String {
        guard let value else { return "nil" }
        return "\(FormatPrinter.literal(value)) (\(Swift.type(of: value)))"
    }
}

/// Swift's ranges as a collection's or `BETWEEN`'s right side.
protocol ValueRange {
    func includes(_ value: Any?) -> Bool
}

extension Range: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        return (lower == .orderedAscending || lower == .orderedSame)
            && ValueComparison.compare(value, upperBound) == .orderedAscending
    }
}

extension ClosedRange: ValueRange {
    func includes(_ value: Any?) -> Bool {
        let lower = ValueComparison.compare(lowerBound, value)
        let upper = ValueComparison.compare(value, upperBound)
        return (lower == .orderedAscending || lower == .orderedSame)
            && (upper == .orderedAscending || upper == .orderedSame)
    }
}
