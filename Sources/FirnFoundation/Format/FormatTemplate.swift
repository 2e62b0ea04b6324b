import Foundation

/// A format that was parsed with places instead of arguments. It makes predicates without parsing the format again.
///
/// Only formats whose arguments stand alone on a side of a comparison have one: `name == %@ AND age > %d`. With `%K`,
/// or an argument within a list or a function, the format is parsed each time. Parts without a place are shared,
/// because predicates and expressions are immutable.
struct FormatTemplate: @unchecked Sendable {
    private let places: [FormatPlace]
    /// The predicate with the places as constants.
    private let example: NSPredicate

    /// Nil for a format that has to be parsed with its arguments, or that has a mistake.
    init?(_ format: String) {
        var parser = FormatParser(template: format)
        guard let example = try? parser.parsePredicate() else { return nil }
        places = parser.lexer.places
        self.example = example
        var found = 0
        _ = example.replacingPlaces { _, expression in
            found += 1
            return expression
        }
        guard found == places.count else { return nil }
    }

    /// The predicate that the parser would make. Nil if an argument is a predicate or an expression, or does not fit
    /// its place: then the parser reports the mistake. Linear in the count of arguments.
    func predicate(_ arguments: [Any]) -> NSPredicate? {
        var source = FormatArguments(arguments)
        var values: [NSExpression] = []
        values.reserveCapacity(places.count)
        for place in places {
            let value: Any?
            do {
                value = try source.value(for: place.letter, at: place.index)
            } catch { return nil }
            if let value, !FormatParser.isPlain(type(of: value)), value is NSExpression || value is NSPredicate {
                return nil
            }
            values.append(NSExpression(forConstantValue: value))
        }
        return example.replacingPlaces { place, _ in values[place.number] }
    }
}

extension NSPredicate {
    /// The predicate with other expressions in place of the constants that are places.
    fileprivate func replacingPlaces(_ value: (FormatPlace, NSExpression) -> NSExpression) -> NSPredicate {
        replacingParts({ $0.replacingPlaces(value) }) { expression in
            guard case .constant(let place as FormatPlace) = expression.node else { return expression }
            return value(place, expression)
        }
    }
}

/// Stands for an argument while a template is parsed.
final class FormatPlace: Sendable {
    /// The letter of the conversion.
    let letter: Unicode.Scalar
    /// The number of the argument, from 1; nil for the next.
    let index: Int?
    /// The count of the places before.
    let number: Int

    init(_ letter: Unicode.Scalar, index: Int?, number: Int) {
        self.letter = letter
        self.index = index
        self.number = number
    }
}
