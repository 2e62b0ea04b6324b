import Foundation

/// Functions of one number: sign, roots, logarithms, rounding.
enum RoundingFunctions {
    static func value(of function: PredicateFunction, _ argument: Any?) throws -> Any? {
        switch PlainValue(argument) {
        case .null: return nil
        case .number(.integer(let value)) where returnsWholeNumber(function):
            return whole(function, value)
        case .number(.decimal(let value)) where function == .negate: return -value
        case .number(.decimal(let value)) where function == .absolute: return abs(value)
        case .number(let number): return fraction(function, number.doubleValue)
        default:
            throw ExpressionError(
                "\(function.rawValue) needs a number, not \(LiteralText.describe(argument))")
        }
    }

    private static func returnsWholeNumber(_ function: PredicateFunction) -> Bool {
        switch function {
        case .negate, .absolute, .floor, .ceiling, .truncate: true
        default: false
        }
    }

    private static func whole(_ function: PredicateFunction, _ value: Int64) -> Any {
        let changes = function == .negate || function == .absolute && value < 0
        if changes { return value == .min ? -Double(value) as Any : Int(-value) }
        return Int(value)
    }

    private static func fraction(_ function: PredicateFunction, _ value: Double) -> Any? {
        switch function {
        case .negate: -value
        case .absolute: abs(value)
        case .squareRoot: value.squareRoot()
        case .log: log10(value)
        case .naturalLog: log(value)
        case .exponential: exp(value)
        case .floor: value.rounded(.down)
        case .ceiling: value.rounded(.up)
        default: value.rounded(.towardZero)
        }
    }
}

/// `random()`: from 0 up to, not including 1. `random:(n)`, `randomn:(n)`: a whole number from 0 up to, not
/// including n.
enum RandomFunctions {
    static func value(of function: PredicateFunction, _ arguments: [Any?]) throws -> Any? {
        guard let argument = arguments.first else { return Double.random(in: 0..<1) }
        guard case .number(let number) = PlainValue(argument),
            let limit = Int(exactly: number.doubleValue.rounded(.down)), limit > 0
        else {
            throw ExpressionError(
                "\(function.rawValue) needs a number above 0, not \(LiteralText.describe(argument))")
        }
        return Int.random(in: 0..<limit)
    }
}
