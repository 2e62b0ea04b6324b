import Foundation

/// Calls the function of each family; each family has a file of its own.
///
/// A function of nil is nil, as in SQL, so that a store and memory give the same answer. Functions of collections treat
/// nil as empty.
enum FunctionTable {
    static func value(of function: PredicateFunction, _ arguments: [Any?]) throws -> Any? {
        switch function {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .distinct:
            return try AggregateFunctions.value(of: function, arguments)
        case .add, .subtract, .multiply, .divide, .modulus, .raise:
            return try ArithmeticFunctions.value(of: function, arguments[0], arguments[1])
        case .negate, .squareRoot, .log, .naturalLog, .exponential, .floor, .ceiling, .absolute,
            .truncate:
            return try RoundingFunctions.value(of: function, arguments[0])
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
            return try BitwiseFunctions.value(of: function, arguments)
        case .uppercase, .lowercase, .canonical, .length:
            return try TextFunctions.value(of: function, arguments[0])
        case .random, .randomBelow, .randomNormal:
            return try RandomFunctions.value(of: function, arguments)
        case .now: return Date()
        case .index: return try CollectionFunctions.member(of: arguments[0], at: arguments[1])
        case .cast:
            // To an entity: the object stays what it is, and a store reads the entity's columns.
            if let target = arguments[1], !(target is String) { return arguments[0] }
            guard let type = arguments[1] as? String else {
                throw ExpressionError("CAST needs the name of a class in quotes")
            }
            return try Casting.cast(arguments[0], to: type)
        case .noIndex: return arguments[0]
        case .distance:
            throw ExpressionError("\(function.rawValue) needs CoreLocation, which is not here")
        }
    }
}
