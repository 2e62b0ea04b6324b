import Foundation

extension PredicateExpressions.StringContainsRegex: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let pattern = try conversion.expression(regex)
        guard let text = pattern.constantValue as? String else {
            throw PredicateConversionError(
                "A regular expression must be a literal of the predicate.")
        }
        // MATCHES wants the whole text, contains(_:) any part of it; a dot does not match the end of a line.
        return .predicate(
            try conversion.expression(subject).compared(
                .matches, NSExpression(forConstantValue: "(?s:.*)(?:\(text))(?s:.*)")))
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: ConvertiblePredicateNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let part = try conversion.expression(other)
        let contains = try conversion.expression(root).compared(
            .contains, part, options: [.caseInsensitive, .diacriticInsensitive])
        // Foundation finds the empty text nowhere, CONTAINS everywhere.
        let isNotEmpty = part.compared(.notEqualTo, NSExpression(forConstantValue: ""))
        guard case .constant(let text) = part.node else {
            return .predicate(NSCompoundPredicate(andPredicateWithSubpredicates: [isNotEmpty, contains]))
        }
        return .predicate(text as? String == "" ? NSPredicate(value: false) : contains)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TextOrder {
    fileprivate func texts(_ conversion: inout PredicateConversion) throws -> [NSExpression] {
        [try conversion.expression(root), try conversion.expression(other)]
    }
}

/// An order of two texts that stores know if it is compared with a constant.
private protocol TextOrder {
    func texts(_ conversion: inout PredicateConversion) throws -> [NSExpression]
}

extension PredicateConversion {
    /// `a.caseInsensitiveCompare(b) == order` as a comparison of the texts; nil for other nodes.
    mutating func textOrder(_ lhs: Any, equals rhs: Any) throws -> NSPredicate? {
        guard let node = lhs as? any TextOrder,
            let order = try expression(rhs).constantValue as? Int,
            let type: NSComparisonPredicate.Operator = [
                0: .equalTo, -1: .lessThan, 1: .greaterThan,
            ][order]
        else { return nil }
        let texts = try node.texts(&self)
        return texts[0].compared(type, texts[1], options: .caseInsensitive)
    }
}
