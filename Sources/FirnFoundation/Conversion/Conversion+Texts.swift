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
