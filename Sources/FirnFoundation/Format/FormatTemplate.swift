import Foundation

/// A format that was parsed with places instead of arguments. It makes predicates without parsing the format again.
///
/// Only formats whose arguments stand alone on a side of a comparison have one: `name == %@ AND age > %d`. With `%K`,
/// or an argument within a list or a function, the format is parsed each time. Parts without a place are shared,
/// because predicates and expressions are immutable.
struct FormatTemplate: @unchecked Sendable {
    private indirect enum Part {
        case whole(NSPredicate)
        case comparison(Term, Term, NSComparisonPredicate)
        case compound(NSCompoundPredicate.LogicalType, [Part])
    }

    private enum Term {
        case expression(NSExpression)
        case place(Int)
    }

    private let places: [FormatPlace]
    private let root: Part

    /// Nil for a format that has to be parsed with its arguments, or that has a mistake.
    init?(_ format: String) {
        var parser = FormatParser(template: format)
        guard let example = try? parser.parsePredicate() else { return nil }
        places = parser.lexer.places
        var found = 0
        root = Self.part(of: example, &found)
        guard found == places.count else { return nil }
    }

    private static func part(of predicate: NSPredicate, _ found: inout Int) -> Part {
        let before = found
        switch predicate {
        case let compound as NSCompoundPredicate:
            var parts: [Part] = []
            for part in compound.parts { parts.append(Self.part(of: part, &found)) }
            return found == before ? .whole(predicate) : .compound(compound.compoundPredicateType, parts)
        case let comparison as NSComparisonPredicate:
            let left = term(comparison.leftExpression, &found)
            let right = term(comparison.rightExpression, &found)
            return found == before ? .whole(predicate) : .comparison(left, right, comparison)
        default: return .whole(predicate)
        }
    }

    private static func term(_ expression: NSExpression, _ found: inout Int) -> Term {
        guard case .constant(let value) = expression.node, let place = value as? FormatPlace else {
            return .expression(expression)
        }
        found += 1
        return .place(place.number)
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
        return Self.filled(root, values)
    }

    private static func filled(_ part: Part, _ values: [NSExpression]) -> NSPredicate {
        switch part {
        case .whole(let predicate): return predicate
        case .comparison(let left, let right, let example):
            return NSComparisonPredicate(
                leftExpression: filled(left, values), rightExpression: filled(right, values),
                modifier: example.comparisonPredicateModifier, type: example.predicateOperatorType,
                options: example.options)
        case .compound(let type, let parts):
            return NSCompoundPredicate(type: type, subpredicates: parts.map { filled($0, values) })
        }
    }

    private static func filled(_ term: Term, _ values: [NSExpression]) -> NSExpression {
        switch term {
        case .expression(let expression): expression
        case .place(let number): values[number]
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
