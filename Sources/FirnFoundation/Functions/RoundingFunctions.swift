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
