import Foundation

/// `& | ^ << >> ~` on 64 bits; fractions lose their fraction first.
enum BitwiseFunctions {
    static func value(of function: PredicateFunction, _ arguments: [Any?]) throws -> Any? {
        var bits: [Int64] = []
        for argument in arguments {
            switch PlainValue(argument) {
            case .null: return nil
            case .number(let number): bits.append(integer(number))
            default:
                throw ExpressionError(
                    "\(function.rawValue) needs numbers, not \(LiteralText.describe(argument))")
            }
        }
        return Int(result(function, bits))
    }

    /// A shift of more than 63 bits gives 0 or -1. A negative shift shifts in the other direction.
    private static func result(_ function: PredicateFunction, _ bits: [Int64]) -> Int64 {
        switch function {
        case .bitwiseAnd: bits[0] & bits[1]
        case .bitwiseOr: bits[0] | bits[1]
        case .bitwiseXor: bits[0] ^ bits[1]
        case .leftShift: bits[0] << bits[1]
        case .rightShift: bits[0] >> bits[1]
        default: ~bits[0]
        }
    }

    private static func integer(_ number: NumericValue) -> Int64 {
        switch number {
        case .integer(let value): value
        case .unsigned(let value): Int64(bitPattern: value)
        case .double, .decimal: saturated(number.doubleValue)
        }
    }

    private static func saturated(_ value: Double) -> Int64 {
        if value.isNaN { return 0 }
        return Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
}
