import Foundation

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
