import Foundation

/// `+ - * / **` and `modulus:by:`.
///
/// The result of whole numbers is whole, so `5 / 2` is 2, as in Foundation and in SQL. A result that does not fit an
/// `Int` is a `Double`. With a decimal the result is a decimal, else with a fraction a `Double`. Division by zero is
/// nil. A date and a number of seconds give a date, two dates the seconds between.
enum ArithmeticFunctions {
    static func value(
        of function: PredicateFunction, _ left: Any?, _ right: Any?
    ) throws -> Any? {
        switch (PlainValue(left), PlainValue(right)) {
        case (.null, _), (_, .null): return nil
        case (.number(.integer(let left)), .number(.integer(let right))):
            return integers(function, left, right)
        case (.number(let left), .number(let right)):
            if left.isDecimal || right.isDecimal {
                return decimals(function, left.decimalValue, right.decimalValue)
            }
            return doubles(function, left.doubleValue, right.doubleValue)
        case (.date(let left), .number(let right)) where function == .add:
            return left.addingTimeInterval(right.doubleValue)
        case (.number(let left), .date(let right)) where function == .add:
            return right.addingTimeInterval(left.doubleValue)
        case (.date(let left), .number(let right)) where function == .subtract:
            return left.addingTimeInterval(-right.doubleValue)
        case (.date(let left), .date(let right)) where function == .subtract:
            return left.timeIntervalSince(right)
        default:
            throw ExpressionError(
                "\(function.rawValue) needs numbers, not \(LiteralText.describe(left)) and "
                    + LiteralText.describe(right))
        }
    }

    private static func integers(
        _ function: PredicateFunction, _ left: Int64, _ right: Int64
    ) -> Any? {
        let (result, overflow): (Int64, Bool)
        switch function {
        case .add: (result, overflow) = left.addingReportingOverflow(right)
        case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide where right != 0:
            (result, overflow) = left.dividedReportingOverflow(by: right)
        case .modulus where right != 0:
            return Int(left.remainderReportingOverflow(dividingBy: right).partialValue)
        case .divide, .modulus: return nil
        default: return NumericValue.power(left, right).object
        }
        return overflow ? doubles(function, Double(left), Double(right)) : Int(result)
    }

    private static func doubles(
        _ function: PredicateFunction, _ left: Double, _ right: Double
    ) -> Any? {
        switch function {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: right == 0 ? nil : left / right
        case .modulus: right == 0 ? nil : left.truncatingRemainder(dividingBy: right)
        default: pow(left, right)
        }
    }

    private static func decimals(
        _ function: PredicateFunction, _ left: Decimal, _ right: Decimal
    ) -> Any? {
        switch function {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide: return right == 0 ? nil : left / right
        default:
            let left = NumericValue.decimal(left).doubleValue
            return doubles(function, left, NumericValue.decimal(right).doubleValue)
        }
    }
}
