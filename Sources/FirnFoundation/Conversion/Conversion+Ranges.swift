import Foundation

/// A range, as a node or as a constant: its bounds, and whether the upper one belongs to it.
private protocol BoundedRange {
    /// The bounds as expressions; nil for a side that is open.
    func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds
}

private struct RangeBounds {
    var lower: NSExpression?
    var upper: NSExpression?
    var includesUpper = false
}

extension RangeBounds {
    fileprivate init(constants lower: Any?, _ upper: Any?, includesUpper: Bool = false) {
        self.lower = lower.map { NSExpression(forConstantValue: $0) }
        self.upper = upper.map { NSExpression(forConstantValue: $0) }
        self.includesUpper = includesUpper
    }
}

extension PredicateExpressions.Range: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(lower: try conversion.expression(lower), upper: try conversion.expression(upper))
    }
}

extension PredicateExpressions.ClosedRange: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: try conversion.expression(lower), upper: try conversion.expression(upper), includesUpper: true)
    }
}

extension Range: BoundedRange {
    fileprivate func bounds(_: inout PredicateConversion) -> RangeBounds { .init(constants: lowerBound, upperBound) }
}

extension ClosedRange: BoundedRange {
    fileprivate func bounds(_: inout PredicateConversion) -> RangeBounds {
        .init(constants: lowerBound, upperBound, includesUpper: true)
    }
}

extension PartialRangeFrom: BoundedRange {
    fileprivate func bounds(_: inout PredicateConversion) -> RangeBounds { .init(constants: lowerBound, nil) }
}

extension PartialRangeUpTo: BoundedRange {
    fileprivate func bounds(_: inout PredicateConversion) -> RangeBounds { .init(constants: nil, upperBound) }
}

extension PartialRangeThrough: BoundedRange {
    fileprivate func bounds(_: inout PredicateConversion) -> RangeBounds {
        .init(constants: nil, upperBound, includesUpper: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        // No range contains anything, where it is not asked for one.
        if let chained = range as? any OptionalChainNode, try chained.chain(&conversion).value.isNil {
            return .predicate(NSPredicate(value: false))
        }
        let known = constant(range, in: conversion)
        guard let bounded = known as? any BoundedRange ?? range as? any BoundedRange else {
            throw PredicateConversionError(
                "A \(RangeExpression.self) has no equal in the predicate language.")
        }
        let bounds = try bounded.bounds(&conversion)
        let value = try conversion.expression(element)
        if let lower = bounds.lower, let upper = bounds.upper, bounds.includesUpper {
            return .predicate(
                value.compared(.between, NSExpression(forAggregate: [lower, upper])))
        }
        var parts: [NSPredicate] = []
        if let lower = bounds.lower { parts.append(value.compared(.greaterThanOrEqualTo, lower)) }
        if let upper = bounds.upper {
            parts.append(
                value.compared(bounds.includesUpper ? .lessThanOrEqualTo : .lessThan, upper))
        }
        return .predicate(
            parts.count == 1 ? parts[0] : NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    }
}
