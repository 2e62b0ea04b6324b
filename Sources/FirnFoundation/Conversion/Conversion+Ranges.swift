import Foundation

/// A range, as a node or as a constant: its bounds, and whether the upper one belongs to it.
private protocol BoundedRange {
    /// The bounds as expressions; nil for a side that is open.
    func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds
}

private struct RangeBounds {
    var lower: NSExpression?
    var upper: NSExpression?
    var includesUpper: Bool
}

extension PredicateExpressions.Range: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: try conversion.expression(lower), upper: try conversion.expression(upper),
            includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: try conversion.expression(lower), upper: try conversion.expression(upper),
            includesUpper: true)
    }
}

extension PredicateExpressions.Value: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        guard let range = value as? any BoundedRange else {
            throw PredicateConversionError(
                "A \(Output.self) has no equal in the predicate language.")
        }
        return try range.bounds(&conversion)
    }
}

extension Range: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: NSExpression(forConstantValue: lowerBound),
            upper: NSExpression(forConstantValue: upperBound), includesUpper: false)
    }
}

extension ClosedRange: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: NSExpression(forConstantValue: lowerBound),
            upper: NSExpression(forConstantValue: upperBound), includesUpper: true)
    }
}

extension PartialRangeFrom: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: NSExpression(forConstantValue: lowerBound), upper: nil, includesUpper: false)
    }
}

extension PartialRangeUpTo: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: nil, upper: NSExpression(forConstantValue: upperBound), includesUpper: false)
    }
}

extension PartialRangeThrough: BoundedRange {
    fileprivate func bounds(_ conversion: inout PredicateConversion) throws -> RangeBounds {
        RangeBounds(
            lower: nil, upper: NSExpression(forConstantValue: upperBound), includesUpper: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard let bounded = range as? any BoundedRange else {
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
