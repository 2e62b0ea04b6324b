import Foundation

/// The functions of expressions, by Apple's names.
///
/// https://developer.apple.com/documentation/foundation/nsexpression/init(forfunction:arguments:)
package enum PredicateFunction: String, CaseIterable, Sendable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    case distinct = "distinct:"

    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case raise = "raise:toPower:"
    /// Changes the sign: what `-x` parses to.
    case negate = "chs:"
    case squareRoot = "sqrt:"
    case log = "log:"
    case naturalLog = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncate = "trunc:"

    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"

    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// Without case and diacritics.
    case canonical = "canonical:"
    case length = "length:"

    case random = "random"
    case randomBelow = "random:"
    case randomNormal = "randomn:"
    case now = "now"

    /// An element by its index: `x[i]`.
    case index = "objectFrom:withIndex:"
    /// A cast: `CAST(x, "NSNumber")`.
    case cast = "castObject:toType:"
    /// Its argument; tells a store to use no index.
    case noIndex = "noindex:"
    case distance = "distanceToLocation:fromLocation:"

    /// The count of arguments. Sums and other aggregates accept a collection or several numbers.
    package var argumentCount: ClosedRange<Int> {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .distinct:
            1...Int.max
        case .random: 0...1
        case .now: 0...0
        default: (colons)...(colons)
        }
    }

    /// Whether the function is of one or two numbers.
    package var isNumeric: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .negate, .squareRoot, .log, .naturalLog,
            .exponential, .floor, .ceiling, .absolute, .truncate:
            true
        default: false
        }
    }

    private var colons: Int { rawValue.utf8.count { $0 == UInt8(ascii: ":") } }

    /// The function of a name; a name in a format may lack its last colon: `sum(x)`.
    package init?(name: String) {
        if let function = Self(rawValue: name) ?? Self(rawValue: name + ":") {
            self = function
        } else {
            return nil
        }
    }

    /// How the function is written between two operands, and how tightly it binds; nil for others.
    package var infix: (symbol: String, precedence: Int)? {
        switch self {
        case .bitwiseOr: ("|", 2)
        case .bitwiseXor: ("^", 3)
        case .bitwiseAnd: ("&", 4)
        case .leftShift: ("<<", 5)
        case .rightShift: (">>", 5)
        case .add: ("+", 6)
        case .subtract: ("-", 6)
        case .multiply: ("*", 7)
        case .divide: ("/", 7)
        case .raise: ("**", 8)
        default: nil
        }
    }
}

/// A place in an array that is named, not counted: `x[FIRST]`. Also the constant in the parsed tree.
package enum IndexSymbol: String, Hashable, Sendable {
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
}

/// The operators that make a set of two collections.
package enum SetOperation: String, Sendable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}

/// Calls the function of each family.
///
/// A function of nil is nil, as in SQL, so that a store and memory give the same answer. Functions of collections treat
/// nil as empty.
enum FunctionTable {
    /// The value that SQL has: NaN is null, as are results that are no number, and what cannot be cast.
    static func storedValue(of function: PredicateFunction, _ arguments: [Any?]) throws -> Any? {
        switch function {
        case .sum, .count, .min, .max, .average, .median, .standardDeviation:
            guard arguments.count == 1, let members = collectionMembers(of: arguments[0]) else { break }
            return try value(of: function, [function == .count ? members : StoredNumbers.members(members)])
        case .cast:
            guard let type = arguments[1] as? String else { break }
            return StoredNumbers.isNaN(arguments[0]) ? nil : try Casting.form(arguments[0], of: type)
        default: break
        }
        let arguments = function.isNumeric ? arguments.map(StoredNumbers.number) : arguments
        let result = try value(of: function, arguments)
        return function != .noIndex && StoredNumbers.isNaN(result) ? nil : result
    }

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
